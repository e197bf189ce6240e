/* What the theme leaves to the mouse: whatever scrolls sideways can be focused, and Escape closes the menu. */
(() => {
  const SCROLLING = ".md-typeset pre > code, .md-typeset__scrollwrap";

  /* The theme makes wide code focusable only where the device reports hovering, and wide tables nowhere. Timers run
     after all observers of a frame, so the theme's own has had its say. */
  const observer = new ResizeObserver(entries => setTimeout(() => entries.forEach(({target}) => {
    if (getComputedStyle(target).overflowX !== "visible" && target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  })));

  const start = () => {
    observer.disconnect();
    document.querySelectorAll(SCROLLING).forEach(element => observer.observe(element));
  };

  window.document$ ? document$.subscribe(start) : addEventListener("DOMContentLoaded", start);

  addEventListener("keydown", ({key}) => {
    const drawer = document.getElementById("__drawer");
    if (key !== "Escape" || !drawer?.checked) return;
    drawer.click();
    drawer.focus();
  });
})();
