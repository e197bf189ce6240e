// node run_cases.mjs JOB.json: answers a batch of cases with the playground's own modules and files.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const bytes = (name) => new Uint8Array(readFileSync(join(job.folder, name)));
const json = (name) => JSON.parse(readFileSync(join(job.folder, name), "utf8"));

const { openEngine, readCharacters, search, forms } = await import(job.engine);
const data = json("playground.json");
data.characters = readCharacters(data.characters);
const engine = await openEngine(bytes("sqlite3.wasm"));
const opened = Object.fromEntries(data.corpora.map(({ name }) => [
  name, { corpus: json(`${name}.json`), database: engine.open(bytes(`${name}.db`), bytes(`${name}.state.db`)) },
]));

const plain = (value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value);
const answers = job.cases.map((request) => {
  if (!request.corpus) return forms(request.text, data.characters, data.query_terms);
  const { corpus, database } = opened[request.corpus];
  const vector = request.vector && new Uint8Array(Buffer.from(request.vector, "base64"));
  try {
    const answer = search(database, data, corpus, { ...request, vector });
    return { ...answer, parameters: answer.parameters.map(plain) };
  } catch (problem) {
    return { failed: String(problem) };
  }
});
process.stdout.write(JSON.stringify(answers));
