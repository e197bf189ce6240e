/* Long tables of records get a field that filters their rows by text. Without scripts every row shows. */
(() => {
  const LONG = ".rf-table:has(tbody > tr:nth-child(12))"; // the style sheet keeps room for the field by the same rule

  const add = table => {
    if (table.previousElementSibling?.matches(".rf-find")) return; // the page was shown before
    const rows = [...table.querySelectorAll("tbody > tr")];
    const texts = rows.map(row => row.textContent.toLowerCase());

    const bar = document.createElement("div");
    bar.className = "rf-find";
    bar.innerHTML = '<label><span>Filter rows</span><input type="search" autocomplete="off" spellcheck="false"></label>'
      + '<output role="status"></output>';
    const [field, output] = bar.querySelectorAll("input, output");
    field.setAttribute("aria-label", `Filter rows: ${table.getAttribute("aria-label")}`);

    const count = () => {
      const shown = rows.filter(row => getComputedStyle(row).display !== "none").length;
      output.value = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
    };
    const filter = () => {
      const words = field.value.toLowerCase().split(/\s+/);
      rows.forEach((row, place) => { row.hidden = !words.every(word => texts[place].includes(word)); });
      count();
    };
    field.addEventListener("input", filter);
    field.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      field.value = "";
      filter();
    });
    table.closest(".rf-filtered")?.addEventListener("change", count); // its other filter is the style sheet's
    table.before(bar);
    count();
  };

  const start = () => document.querySelectorAll(LONG).forEach(add);
  window.document$ ? document$.subscribe(start) : addEventListener("DOMContentLoaded", start);
})();
