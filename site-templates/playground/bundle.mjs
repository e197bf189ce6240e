// node bundle.mjs FOLDER
// Bundles the playground into FOLDER/dist, with the packages that `npm ci` put into FOLDER/node_modules.
// They are kept apart from the sources, so that nothing here is watched, copied or packed that is not the project's.

import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2]);
const sources = fileURLToPath(new URL(".", import.meta.url));
const packages = join(folder, "node_modules");
const { buildSync } = createRequire(join(folder, "package.json"))("esbuild");

const bundle = (from, to) =>
  buildSync({
    absWorkingDir: sources,
    entryPoints: [from],
    outfile: join(folder, "dist", to),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    nodePaths: [packages],
  });

mkdirSync(join(folder, "dist"), { recursive: true });
bundle("start.mjs", "start.mjs");
bundle("page.mjs", "engine.mjs");
bundle("playground.css", "playground.css");
copyFileSync(join(packages, "@sqlite.org/sqlite-wasm/dist/sqlite3.wasm"), join(folder, "dist", "sqlite3.wasm"));
