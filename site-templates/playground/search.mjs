// The part of a search that the browser does itself. Statements, verdicts and numbers come from the registries as data;
// this reads a typed text, decides which arms fire, and puts values into holes and slots. It knows of no page.

const ranges = (list) => list.split(" ").map((range) => range.replace(/[0-9a-f]+/g, "\\u{$&}")).join("");

/** The classes of characters that the index was made with, as regular expressions. */
export const readCharacters = ({ kept, unspaced, unassigned }) => ({
  word: new RegExp(`[${ranges(kept)}]+`, "gu"),
  segment: new RegExp(`[${ranges(unspaced)}]+|[^${ranges(unspaced)}]+`, "gu"),
  unspaced: new RegExp(`^[${ranges(unspaced)}]`, "u"),
  unassigned: new RegExp(`[${ranges(unassigned)}]`, "gu"),
});

const normalise = (text, characters) =>
  text
    .replace(/[\0\ud800-\udfff\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu, "")
    .replace(characters.unassigned, " ")
    .normalize("NFKC");

const words = (text, characters) => text.match(characters.word) ?? [];

const pairs = (run) => {
  const points = [...run];
  return points.length < 2 ? points : points.slice(1).map((point, index) => points[index] + point);
};

const isOne = (segment) => [...segment].length === 1;

/** Any text as terms, each with its tokens and its MATCH text; `query.forms` in Python. */
export function forms(text, characters, mostTerms) {
  const found = new Map();
  const spans = normalise(text.replaceAll("\0", " "), characters).split('"');
  const add = (tokens, isPrefix) => {
    const key = JSON.stringify([tokens.map((token) => token.toLowerCase()), isPrefix]);
    if (!found.has(key)) found.set(key, `"${tokens.join(" ")}"${isPrefix ? "*" : ""}`);
  };
  spans.forEach((span, index) => {
    const pieces = words(span, characters)
      .flatMap((word) => word.match(characters.segment))
      .map((segment) => ({ segment, unspaced: characters.unspaced.test(segment) }));
    if (spans.length % 2 === 1 && index % 2 === 1) {
      const tokens = pieces.flatMap(({ segment, unspaced }, at) => {
        const tail = unspaced && at < pieces.length - 1 && !isOne(segment) ? [[...segment].at(-1)] : [];
        return unspaced ? [...pairs(segment), ...tail] : [segment];
      });
      const last = pieces.at(-1);
      if (tokens.length) add(tokens, last.unspaced && isOne(last.segment));
    } else {
      for (const { segment, unspaced } of pieces) {
        add(unspaced ? pairs(segment) : [segment], unspaced && isOne(segment));
      }
    }
  });
  const terms = [...found.values()].slice(0, mostTerms);
  return { terms, distinct: found.size, all: terms.join(" AND "), any: terms.join(" OR ") };
}

/** The arms that fire, and those that cannot with the first precondition that each lacks. */
export function activate(arms, weights, unmet) {
  const verdicts = new Map();
  const judge = (arm, queryArmRuns) => {
    const lacking = unmet(queryArmRuns);
    const precondition = arm.preconditions.find((name) => lacking[name]);
    const [reason, fix] = lacking[precondition] ?? [];
    verdicts.set(arm.name, precondition ? { arm: arm.name, precondition, reason, fix } : null);
  };
  const weighted = arms.filter((arm) => weights[arm.name] > 0);
  const [asking, others] = [true, false].map((asks) => weighted.filter((arm) => (arm.reads === "query") === asks));
  asking.forEach((arm) => judge(arm, false));
  const queryArmRuns = asking.some((arm) => !verdicts.get(arm.name));
  others.forEach((arm) => judge(arm, queryArmRuns));
  return {
    active: weighted.filter((arm) => !verdicts.get(arm.name)),
    dropped: weighted.map((arm) => verdicts.get(arm.name)).filter(Boolean),
  };
}

/** A number as Python writes it, so that the statement is the same to the last letter. */
export const numeral = (value) =>
  Number.isInteger(value) ? `${value}.0` : value < 1e-4 ? value.toExponential().replace(/-(\d)$/, "-0$1") : `${value}`;

/** The statement of some arms, with its numbers put in; null without an arm. */
export function fold(profile, active, weights, rankConstant) {
  const template = profile.statements[active.map((arm) => arm.name).join(",")];
  if (!template) return null;
  return template
    .replace(/\{weight:(\w+)\}/g, (_, arm) => numeral(weights[arm]))
    .replaceAll("{rank_constant}", `${rankConstant}`);
}

/** Values by slot number as a list that ends with the highest slot that the text names. */
export function bind(text, values) {
  const named = new Set([...text.matchAll(/\?(\d+)/g)].map((slot) => Number(slot[1])));
  return Array.from({ length: Math.max(0, ...named) }, (_, at) => (named.has(at + 1) ? values[at + 1] ?? null : null));
}

/**
 * One search.
 *
 * @param {{run: function(string, Array): Array}} database runs a statement and gives its rows.
 * @param {object} data the registries, with `characters` read.
 * @param {object} corpus what is known of the collection.
 * @param {object} request `text`, `vector` (bytes or null), `profile`, `weights` by arm, `rankConstant`, `limit`, and
 *   `lacks`: names of the switches that are off.
 */
export function search(database, data, corpus, request) {
  const profile = data.profiles[request.profile];
  const query = forms(request.text, data.characters, data.query_terms);
  const lacks = (name) => request.lacks.includes(name);
  const vector = query.terms.length && !lacks("vector") ? request.vector : null;
  const parts = [query.terms.length, ...Object.keys(data.switches).map((name) => (name === "vector" ? vector : !lacks(name)))];
  const key = parts.map((part) => (part ? 1 : 0)).join("");
  const { active, dropped } = activate(
    data.arms, request.weights, (queryArmRuns) => corpus.verdicts[profile.name][key + (queryArmRuns ? 1 : 0)],
  );
  const silent = !query.terms.length && profile.without_terms === "nothing";
  const sql = silent ? null : fold(profile, active, request.weights, request.rankConstant);
  const answer = { query, sql, dropped, arms: sql ? active.map((arm) => arm.name) : [], form: null, parameters: [], hits: [] };
  if (!sql) return answer;
  if (query.terms.length && active.some((arm) => arm.sql.includes("?1"))) {
    const holdsAll = () => database.run(data.probe, bind(data.probe, { 1: query.all })).length > 0;
    const isAll = profile.query_form === "all" || (profile.query_form === "auto" && query.all !== query.any && holdsAll());
    answer.form = isAll ? "all" : "any";
  }
  const names = new Set(words(normalise(request.text, data.characters), data.characters).map((word) => word.toLowerCase()));
  answer.parameters = bind(sql, {
    1: answer.form && query[answer.form],
    2: profile.window,
    3: request.limit,
    4: vector,
    5: corpus.now,
    6: `[${[...names].slice(0, query.terms.length).map((name) => JSON.stringify(name)).join(", ")}]`,
  });
  answer.hits = database.run(sql, answer.parameters).map(([path, score, ...cells]) => ({
    path,
    score,
    shares: answer.arms
      .map((arm, at) => ({ arm, rank: cells[3 * at], raw: cells[3 * at + 1], contribution: cells[3 * at + 2] }))
      .filter((share) => share.rank !== null),
  }));
  return answer;
}
