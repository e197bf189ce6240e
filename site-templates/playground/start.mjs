// What stands behind the button. It fetches the files that the page lists, compares every one with the hash that the
// page states, and only then runs them. Before the button is pressed there are only this file and the style sheet.

const root = document.querySelector(".rf-playground");

/** The page's own table of files: by name without the hash, where each is and what it must be. */
const files = new Map(
  [...document.querySelectorAll('[data-registry="playground-files"] tbody tr')].map((row) => {
    const link = row.querySelector("a");
    const name = link.textContent.trim();
    return [name.replace(/-[0-9a-f]{8}(?=\.)/, ""), { name, url: link.href, hash: row.querySelector("td:last-child").textContent.trim() }];
  }),
);

const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A file's bytes, which are those that the page was built with. */
async function fetchFile(key) {
  const { name, url, hash } = files.get(key);
  const answer = await fetch(url).catch((problem) => {
    throw new Error(`${name} could not be fetched: ${problem.message}.`);
  });
  if (!answer.ok) throw new Error(`${name} could not be fetched: the server says ${answer.status}.`);
  const bytes = await answer.arrayBuffer();
  const found = hex(await crypto.subtle.digest("SHA-256", bytes));
  if (found !== hash) {
    throw new Error(`${name} is not the file that this page was built with, so it was not run. Its SHA-256 is ${found}.`);
  }
  return new Uint8Array(bytes);
}

async function importFile(key) {
  const url = URL.createObjectURL(new Blob([await fetchFile(key)], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function run(place, button) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true"); // a button that is disabled outright loses the focus
  place.className = "rf-pg-loading";
  place.innerHTML = '<p role="status">Fetching the engine…</p>';
  document.querySelector(".rf-playground-example").hidden = true;
  try {
    if (!globalThis.crypto?.subtle) {
      throw new Error("A browser compares hashes only on https and on localhost, and nothing runs here without that.");
    }
    const [module, wasm, json] = await Promise.all([
      importFile("engine.mjs"), fetchFile("sqlite3.wasm"), fetchFile("playground.json"),
    ]);
    const data = JSON.parse(new TextDecoder().decode(json));
    await module.start({ place, data, wasm, fetchFile });
    const stayed = [button, document.body].includes(document.activeElement);
    root.querySelector(".rf-playground-run").hidden = true;
    if (stayed) place.querySelector("input").focus({ preventScroll: true });
  } catch (problem) {
    place.className = "rf-pg-failed";
    const message = document.createElement("p");
    message.setAttribute("role", "alert");
    message.textContent = problem.message;
    place.replaceChildren(message);
    document.querySelector(".rf-playground-example").hidden = false;
    button.removeAttribute("aria-disabled");
  }
}

// Once, also where a page is shown again without being loaded again.
if (root && !root.dataset.ready) {
  root.dataset.ready = "yes";
  const sheet = files.get("playground.css");
  document.head.append(Object.assign(document.createElement("link"), {
    rel: "stylesheet", href: sheet.url, integrity: `sha256-${btoa(sheet.hash.replace(/../g, (two) => String.fromCharCode(parseInt(two, 16))))}`,
  }));
  const button = root.querySelector("button");
  const place = root.querySelector(".rf-playground-app");
  button.disabled = false;
  button.addEventListener("click", () => run(place, button));
  if (/^#play(&|$)/.test(location.hash)) root.querySelector(".rf-playground-shared").hidden = false;
}
