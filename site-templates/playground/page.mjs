// What the reader sees and moves. State goes one way: an input changes `state`, and everything is drawn from it anew.

import { openEngine } from "./engine.mjs";
import { forms, readCharacters, search } from "./search.mjs";

export { openEngine, readCharacters, search, forms };

const DRAWN = 10;
const LONGEST_WEIGHT = 2;
const LONGEST_CONSTANT = 200;

/** An element: `h("p", { class: "note" }, "text", child)`. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false));
  return element;
}

const hidden = (text) => h("span", { class: "rf-pg-unseen" }, text);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

// ── state ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const defaults = (data, corpus, profile = corpus.profile) => ({
  database: corpus.name,
  profile,
  text: corpus.queries[0].text,
  weights: { ...data.profiles[profile].weights },
  off: [],
  rankConstant: data.profiles[profile].rank_constant,
  lacks: [],
});

/** The state as a fragment that can be shared: only what differs from the defaults. */
function toFragment(state, data, corpus) {
  const usual = defaults(data, corpus, state.profile);
  const said = new URLSearchParams();
  said.set("db", state.database);
  said.set("profile", state.profile);
  said.set("q", state.text);
  for (const [arm, weight] of Object.entries(state.weights)) {
    if (weight !== usual.weights[arm]) said.set(`w.${arm}`, weight);
  }
  if (state.rankConstant !== usual.rankConstant) said.set("k", state.rankConstant);
  for (const key of ["off", "lacks"]) if (state[key].length) said.set(key, state[key].join(" "));
  return `#play&${said}`;
}

/** Whether a fragment holds a state; `#playground` is the page's heading. */
const holdsState = (fragment) => /^#play(&|$)/.test(fragment);

const saidIn = (fragment) => new URLSearchParams(holdsState(fragment) ? fragment.slice(5) : "");

/** A number as people write it; NaN for anything else, an empty text too. */
const numberIn = (text) => (/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text ?? "") ? Number(text) : NaN);

/** The name of the database that a fragment asks for, else the first. */
const databaseIn = (fragment, { corpora }) =>
  (corpora.find(({ name }) => name === saidIn(fragment).get("db")) ?? corpora[0]).name;

/** The state that a fragment holds; whatever in it is unknown or out of range is passed over. */
function fromFragment(fragment, data, corpus) {
  const said = saidIn(fragment);
  const profile = said.get("profile");
  const state = defaults(data, corpus, Object.hasOwn(data.profiles, profile ?? "") ? profile : corpus.profile);
  if (said.has("q")) state.text = said.get("q");
  for (const { name } of data.arms) {
    const weight = numberIn(said.get(`w.${name}`));
    if (weight === 0 || (weight >= data.weight.minimum && weight <= data.weight.maximum)) state.weights[name] = weight;
  }
  const constant = numberIn(said.get("k"));
  const { minimum, maximum } = data.rank_constant;
  if (Number.isInteger(constant) && constant >= minimum && constant <= maximum) state.rankConstant = constant;
  const known = { off: data.arms.map((arm) => arm.name), lacks: Object.keys(data.switches) };
  for (const key of ["off", "lacks"]) {
    state[key] = (said.get(key) ?? "").split(" ").filter((name) => known[key].includes(name));
  }
  return state;
}

// ── start ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Build the playground in `place`. `fetchFile` gives checked bytes of a file by its name. */
export async function start({ place, data, wasm, fetchFile }) {
  data.characters = readCharacters(data.characters);
  const engine = await openEngine(wasm);
  if (engine.sourceId !== data.source_id) throw new Error("This SQLite is not the one that built the databases.");
  const opened = new Map();
  const open = (name) => {
    if (!opened.has(name)) opened.set(name, load(name));
    opened.get(name).catch(() => opened.delete(name));
    return opened.get(name);
  };
  const load = async (name) => {
    const [index, plane, about] = await Promise.all([`${name}.db`, `${name}.state.db`, `${name}.json`].map(fetchFile));
    const corpus = JSON.parse(new TextDecoder().decode(about));
    corpus.vectors = new Map(corpus.queries.map(({ text, vector }) => [text, vector && bytesOf(vector)]));
    return { corpus, database: engine.open(index, plane) };
  };

  let { corpus, database } = await open(databaseIn(location.hash, data));
  const state = fromFragment(location.hash, data, corpus);
  let usual = { key: "", answer: null };
  const ask = (settings) =>
    search(database, data, corpus, {
      text: settings.text,
      vector: corpus.vectors.get(settings.text) ?? null,
      profile: settings.profile,
      weights: Object.fromEntries(
        Object.entries(settings.weights).map(([arm, weight]) => [arm, settings.off.includes(arm) ? 0 : weight]),
      ),
      rankConstant: settings.rankConstant,
      lacks: settings.lacks,
      limit: data.arms.length * data.profiles[settings.profile].window,
    });

  const view = build(data);
  let frame = 0;
  let later = 0;
  const draw = () => {
    frame = 0;
    const settings = defaults(data, corpus, state.profile);
    const key = JSON.stringify([state.database, state.profile, state.text]);
    if (usual.key !== key) usual = { key, answer: ask({ ...settings, text: state.text }) };
    const answer = ask(state);
    view.show({ state, corpus, answer, usual: usual.answer });
    clearTimeout(later);
    later = setTimeout(() => {
      write();
      view.say(answer, usual.answer);
    }, 500);
  };
  const write = () => history.replaceState(history.state, "", toFragment(state, data, corpus));
  const change = (changes) => {
    Object.assign(state, changes);
    frame ||= requestAnimationFrame(draw);
  };
  let turn = 0;
  /** Open a database, then take settings; a later choice wins over an earlier one whose files come late. */
  const pick = async (name, settings) => {
    const own = ++turn;
    view.wait(name);
    try {
      const found = await open(name);
      if (own !== turn) return;
      const before = corpus;
      ({ corpus, database } = found);
      view.wait(null);
      change(settings(before));
    } catch (problem) {
      if (own === turn) view.fail(problem.message, state.database);
    }
  };
  const isSample = ({ queries }) => queries.some(({ text }) => text === state.text);
  view.listen({
    state,
    change,
    reset: () => change({ ...defaults(data, corpus, state.profile), text: state.text }),
    pick: (name) => pick(name, (before) => ({ database: name, text: isSample(before) ? corpus.queries[0].text : state.text })),
  });
  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    if (holdsState(hash)) pick(databaseIn(hash, data), () => fromFragment(hash, data, corpus));
  });
  addEventListener("pagehide", write);
  place.className = "rf-pg";
  place.setAttribute("role", "region");
  place.setAttribute("aria-label", "Playground");
  draw();
  place.replaceChildren(...view.parts);
}

// ── the view ────────────────────────────────────────────────────────────────────────────────────────────────────────

function build(data) {
  const handlers = {};
  const armAt = new Map(data.arms.map((arm, at) => [arm.name, { ...arm, at }]));
  const swatch = (name) => h("span", { class: `rf-pg-swatch rf-pg-arm-${armAt.get(name).at % 6}`, "aria-hidden": "true" });
  const title = (path, corpus) => corpus.titles[path] ?? path;

  // The query.
  const query = h("input", {
    type: "search", id: "rf-pg-query", autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
    oninput: () => handlers.change({ text: query.value }),
  });
  const samples = h("div", { class: "rf-pg-samples", role: "group", "aria-label": "Sample queries, which have a vector" });
  const choice = (id, label, options, onchange) => {
    const select = h("select", { id, onchange: () => onchange(select.value) },
      options.map(([value, text]) => h("option", { value }, text)));
    return [select, h("div", { class: "rf-pg-field" }, h("label", { for: id }, label), select)];
  };
  const [database, databaseField] = choice("rf-pg-database", "Database",
    data.corpora.map((corpus) => [corpus.name, corpus.title]),
    (name) => handlers.pick(name));
  const [profile, profileField] = choice("rf-pg-profile", "Profile",
    Object.values(data.profiles).map(({ name, title: text }) => [name, `${name}: ${text}`]),
    (name) => handlers.change({
      profile: name, weights: { ...data.profiles[name].weights }, rankConstant: data.profiles[name].rank_constant, off: [],
    }));
  const copied = h("span", { role: "status", class: "rf-pg-note" });
  const copy = h("button", { type: "button", onclick: async () => {
    await new Promise((done) => setTimeout(done, 550)); // the fragment is written a moment after the last change
    copied.textContent = await navigator.clipboard.writeText(location.href).then(() => "copied", () => "copy it from the address bar");
    setTimeout(() => { copied.textContent = ""; }, 4000);
  } }, "Copy link");
  const reset = h("button", { type: "button", onclick: () => handlers.reset() }, "Reset");

  // The arms, the rank constant and the preconditions.
  const slider = (id, label, max, step, oninput) => {
    const number = h("span", { class: "rf-pg-number", "aria-hidden": "true" }); // the slider says its value itself
    const input = h("input", { type: "range", id, min: 0, max, step, "aria-label": label, oninput: () => oninput(Number(input.value)) });
    return { input, number, set(value, text, spoken) {
      if (Number(input.value) !== value) input.value = value;
      number.textContent = text;
      input.setAttribute("aria-valuetext", spoken);
    } };
  };
  const toggle = (list, name, on) => (on ? list.filter((item) => item !== name) : [...list, name]);
  const arms = data.arms.map((arm) => {
    const weight = slider(`rf-pg-w-${arm.name}`, `Weight of ${arm.title}`, LONGEST_WEIGHT, 0.05, (value) =>
      handlers.change({ weights: { ...handlers.state.weights, [arm.name]: value } }));
    const box = h("input", { type: "checkbox", id: `rf-pg-on-${arm.name}`, "aria-describedby": `rf-pg-note-${arm.name}`,
      onchange: () => handlers.change({ off: toggle(handlers.state.off, arm.name, box.checked) }) });
    const note = h("p", { class: "rf-pg-note", id: `rf-pg-note-${arm.name}` });
    const row = h("div", { class: "rf-pg-arm" },
      h("label", { for: box.id }, box, swatch(arm.name), h("span", {}, arm.title)), weight.input, weight.number, note);
    return { arm, weight, box, note, row };
  });
  const constant = slider("rf-pg-k", "Rank constant", LONGEST_CONSTANT, 1, (value) => handlers.change({ rankConstant: value }));
  const preconditions = Object.entries(data.switches).map(([name, unmade]) => {
    const records = unmade.map((one) => data.preconditions.find((precondition) => precondition.name === one));
    const box = h("input", { type: "checkbox", id: `rf-pg-has-${name}`, "aria-describedby": `rf-pg-why-${name}`,
      onchange: () => handlers.change({ lacks: toggle(handlers.state.lacks, name, box.checked) }) });
    const note = h("p", { class: "rf-pg-note", id: `rf-pg-why-${name}` });
    const row = h("div", { class: "rf-pg-precondition" },
      h("label", { for: box.id }, box, h("span", {}, records.map((record) => record.title).join(", "))), note);
    return { name, unmade, box, note, row };
  });

  // The results.
  const status = h("p", { class: "rf-pg-unseen", role: "status", "aria-live": "polite" });
  const failure = h("p", { class: "rf-pg-failed", role: "alert", hidden: true });
  const summary = h("p", { class: "rf-pg-summary" });
  const fused = h("ol", { class: "rf-pg-fused" });
  const left = h("p", { class: "rf-pg-note" });
  const lists = h("div", { class: "rf-pg-lists" });
  const code = h("code", {});
  const values = h("tbody", {});

  const parts = [
    h("form", { class: "rf-pg-ask", role: "search", onsubmit: (event) => event.preventDefault() },
      h("div", { class: "rf-pg-field rf-pg-query" }, h("label", { for: query.id }, "Query"), query),
      samples,
      h("div", { class: "rf-pg-row" }, databaseField, profileField, h("div", { class: "rf-pg-buttons" }, reset, copy, copied))),
    h("div", { class: "rf-pg-controls" },
      h("fieldset", {}, h("legend", {}, "Arms and their weights"), arms.map(({ row }) => row),
        h("div", { class: "rf-pg-arm rf-pg-constant" }, h("label", { for: constant.input.id }, "Rank constant"), constant.input, constant.number)),
      h("fieldset", {}, h("legend", {}, "What the arms can count on"), preconditions.map(({ row }) => row))),
    failure, status,
    h("h3", {}, "Fused list"), summary, fused, left,
    h("h3", {}, "Each arm’s list"), lists,
    h("h3", {}, "The statement"),
    h("p", { class: "rf-pg-note" }, "The weights and the rank constant are marked. Everything else is the registry’s text."),
    h("div", { class: "rf-pg-sql highlight", role: "region", "aria-label": "SQL statement", tabindex: "0" }, h("pre", {}, code)),
    h("div", { class: "rf-pg-scroll", role: "region", "aria-label": "Values of the slots", tabindex: "0" },
      h("table", { class: "rf-pg-table" },
        h("thead", {}, h("tr", {}, ["Slot", "Name", "Value"].map((text) => h("th", { scope: "col" }, text)))), values)),
  ];

  const move = (path, place, before) => {
    const was = before.get(path);
    if (was === place) return h("span", { class: "rf-pg-move" }, hidden("same place"));
    if (was === undefined) return h("span", { class: "rf-pg-move rf-pg-up" }, "▲ new");
    const way = was > place ? ["up", "▲"] : ["down", "▼"];
    return h("span", { class: `rf-pg-move rf-pg-${way[0]}` }, `${way[1]} ${way[0]} ${Math.abs(was - place)}`, hidden(`, was ${was}`));
  };

  const fusedRow = (hit, place, most, before, corpus) =>
    h("li", {},
      h("div", { class: "rf-pg-hit" },
        h("span", { class: "rf-pg-place" }, `${place}`),
        h("span", { class: "rf-pg-title" }, title(hit.path, corpus), " ", h("span", { class: "rf-pg-path" }, hit.path)),
        move(hit.path, place, before),
        h("span", { class: "rf-pg-score" }, hidden("fused score "), hit.score.toFixed(5))),
      h("div", { class: "rf-pg-bar", "aria-hidden": "true" }, hit.shares.map((share) =>
        h("span", { class: `rf-pg-arm-${armAt.get(share.arm).at % 6}`, style: `width:${(100 * share.contribution) / most}%` }))),
      h("div", { class: "rf-pg-shares" }, hit.shares.map((share) =>
        h("span", {}, swatch(share.arm), `${armAt.get(share.arm).title} no. ${share.rank}: ${share.contribution.toFixed(5)}`))));

  const list = (arm, answer, corpus) => {
    const ranked = answer.hits
      .flatMap((hit) => hit.shares.filter((share) => share.arm === arm.name).map((share) => ({ ...share, path: hit.path })))
      .sort((one, other) => one.rank - other.rank);
    return h("div", { class: "rf-pg-list" },
      h("h4", {}, swatch(arm.name), arm.title, h("span", { class: "rf-pg-note" }, ` ${plural(ranked.length, "candidate")}`)),
      h("div", { class: "rf-pg-scroll", role: "region", "aria-label": `Ranked list of ${arm.title}`, tabindex: "0" },
        h("table", { class: "rf-pg-table" },
          h("thead", {}, h("tr", {}, ["Rank", "Document", arm.raw.name, "Contribution"].map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, ranked.slice(0, DRAWN).map((share) => h("tr", {},
            h("td", {}, `${share.rank}`), h("td", {}, title(share.path, corpus)), h("td", {}, shown(share.raw, arm.raw)),
            h("td", {}, share.contribution.toFixed(5))))))));
  };

  const changed = (answer, usual) => {
    const before = new Map(usual.hits.map((hit, at) => [hit.path, at + 1]));
    const first = answer.hits.slice(0, DRAWN);
    return { before, moved: first.filter((hit, at) => before.get(hit.path) !== at + 1).length };
  };

  let waiting = null;
  return {
    parts,
    listen: (given) => Object.assign(handlers, given),
    wait(name) {
      waiting = name;
    },
    fail(message, name) {
      waiting = null;
      database.value = name; // what is shown; so the other can be chosen again
      failure.hidden = false;
      failure.textContent = message;
    },
    say(answer, usual) {
      const { moved } = changed(answer, usual);
      status.textContent = answer.hits.length
        ? `${plural(answer.hits.length, "document")}. First: ${handlers.title(answer.hits[0].path)}. ${plural(moved, "place")} changed.`
        : "No document.";
    },
    show({ state, corpus, answer, usual }) {
      handlers.state = state;
      handlers.title = (path) => title(path, corpus);
      failure.hidden = true;
      if (query.value !== state.text) query.value = state.text;
      database.value = waiting ?? state.database;
      profile.value = state.profile;
      if (samples.dataset.of !== corpus.name) {
        samples.dataset.of = corpus.name;
        samples.replaceChildren(...corpus.queries.map(({ text }) =>
          h("button", { type: "button", onclick: () => handlers.change({ text }) }, text)));
      }
      for (const button of samples.children) button.setAttribute("aria-pressed", `${button.textContent === state.text}`);

      for (const { arm, weight, box, note, row } of arms) {
        const value = state.weights[arm.name];
        const on = value > 0 && !state.off.includes(arm.name);
        const lost = answer.dropped.find((item) => item.arm === arm.name);
        weight.set(value, value === Number(value.toFixed(2)) ? value.toFixed(2) : `${value}`, value ? `${value}` : "0, left out");
        box.checked = !state.off.includes(arm.name);
        row.classList.toggle("rf-pg-out", !answer.arms.includes(arm.name));
        const count = answer.hits.filter((hit) => hit.shares.some((share) => share.arm === arm.name)).length;
        note.textContent = !on ? "left out" : lost ? `dropped: ${lost.reason}${lost.fix ? ` (${lost.fix})` : ""}`
          : answer.sql ? plural(count, "candidate") : "not asked: the query has no searchable term";
      }
      constant.set(state.rankConstant, `${state.rankConstant}`, `${state.rankConstant}`);
      const hasVector = corpus.vectors.get(state.text);
      const terms = answer.query.terms.length > 0;
      for (const { name, unmade, box, note } of preconditions) {
        const all = Object.keys(data.switches).map((one) => (one === "vector" ? hasVector && terms : true) && !state.lacks.includes(one));
        const bits = [terms, ...all, true].map((part) => (part ? 1 : 0)).join("");
        const at = 1 + Object.keys(data.switches).indexOf(name);
        const verdict = (on) => corpus.verdicts[state.profile][bits.slice(0, at) + (on ? 1 : 0) + bits.slice(at + 1)];
        const possible = name === "vector" ? Boolean(hasVector && terms) : !unmade.some((one) => verdict(true)[one]);
        box.disabled = !possible;
        box.checked = possible && !state.lacks.includes(name);
        const reason = unmade.map((one) => verdict(box.checked)[one]).find(Boolean)?.[0];
        note.textContent = reason ?? "holds";
        if (name === "vector" && !hasVector) note.textContent += "; only the sample queries have a vector here";
      }

      const { before, moved } = changed(answer, usual);
      const first = answer.hits.slice(0, DRAWN);
      const most = Math.max(...first.map((hit) => hit.score));
      summary.textContent = !first.length
        ? `No document. ${!terms ? "The query has no searchable term." : answer.sql ? "No arm that could run found one." : "No arm runs."}`
        : `${answer.hits.length > DRAWN ? `The first ${DRAWN} of ${answer.hits.length} documents` : plural(answer.hits.length, "document")}` +
          `${answer.form ? `, MATCH form “${answer.form}”` : ""}. ` +
          (answer.query.distinct > answer.query.terms.length
            ? `Only the first ${answer.query.terms.length} of ${answer.query.distinct} distinct terms were searched. ` : "") +
          (moved ? `${plural(moved, "place")} changed against the profile’s own settings.` : "The same places as with the profile’s own settings.");
      fused.replaceChildren(...first.map((hit, at) => fusedRow(hit, at + 1, most, before, corpus)));
      const now = new Map(answer.hits.map((hit, at) => [hit.path, at + 1]));
      const gone = usual.hits.slice(0, DRAWN).filter((hit) => !(now.get(hit.path) <= DRAWN));
      left.textContent = gone.length
        ? `No longer among the first ${DRAWN}: ` +
          gone.map((hit) => `${title(hit.path, corpus)} (was ${before.get(hit.path)}, ${now.has(hit.path) ? `now ${now.get(hit.path)}` : "now not found"})`).join("; ") + "."
        : "";
      lists.replaceChildren(...data.arms.filter((arm) => answer.arms.includes(arm.name)).map((arm) => list(arm, answer, corpus)));
      code.replaceChildren(...highlighted(answer.sql ?? "-- no arm can run, so nothing is asked"));
      values.replaceChildren(...answer.parameters.map((value, at) => {
        const slot = data.slots.find((one) => one.number === at + 1);
        return h("tr", {}, h("td", {}, h("code", {}, `?${at + 1}`)), h("td", {}, slot?.name ?? ""), h("td", {}, valueText(value)));
      }));
    },
  };
}

const shown = (raw, { unit }) =>
  unit.startsWith("seconds since") ? new Date(raw * 1000).toISOString().slice(0, 10) : raw.toFixed(4);

const valueText = (value) => {
  if (value === null) return "NULL, not read";
  if (value instanceof Uint8Array) {
    const numbers = new Float32Array(value.slice().buffer);
    return `${numbers.length} numbers: ${[...numbers.slice(0, 3)].map((number) => number.toFixed(3)).join(", ")}, …`;
  }
  return `${value}`;
};

const KEYWORDS = "WITH|AS|NOT|MATERIALIZED|SELECT|FROM|WHERE|AND|OR|IN|IS|NULL|ON|JOIN|CROSS|LEFT|ORDER|BY|GROUP|LIMIT|UNION|ALL|OVER|DESC|CASE|WHEN|THEN|ELSE|END|EXISTS|FILTER|INDEXED|MATCH";
const TOKENS = new RegExp(
  `(?<mark>[\\d.e+-]+(?= / \\(\\d+ \\+ rank\\))|(?<=/ \\()\\d+(?= \\+ rank\\)))|(?<s1>'[^']*')|(?<nv>\\?\\d+)|(?<mi>\\b\\d[\\d.]*\\b)|(?<k>\\b(?:${KEYWORDS})\\b)|(?<c1>--.*)`, "g",
);

/** SQL as text and spans, in the classes that the site's own code blocks have. */
function highlighted(sql) {
  const out = [];
  let at = 0;
  for (const match of sql.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    out.push(sql.slice(at, match.index), kind === "mark" ? h("mark", {}, match[0]) : h("span", { class: kind }, match[0]));
    at = match.index + match[0].length;
  }
  return [...out, sql.slice(at)];
}
