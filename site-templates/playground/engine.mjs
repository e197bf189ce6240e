// SQLite, as its authors compile it for the web, with the one function that it lacks.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";

/** 32-bit floats as a blob holds them. Copied, because a view must begin at a multiple of four. */
const floats = (blob) => new Float32Array(blob.slice().buffer);

/** Cosine distance of two vectors, a 32-bit float like sqlite-vec's. */
export function cosineDistance(one, other) {
  const [a, b] = [floats(one), floats(other)];
  let dot = 0, lengthA = 0, lengthB = 0;
  for (let at = 0; at < a.length; at++) {
    dot += a[at] * b[at];
    lengthA += a[at] * a[at];
    lengthB += b[at] * b[at];
  }
  return Math.fround(1 - dot / Math.sqrt(lengthA * lengthB));
}

/** SQLite from the bytes of its WebAssembly. */
export async function openEngine(wasmBinary) {
  // Its ways to keep files in the browser are left out: they would start workers, and nothing is kept here.
  globalThis.sqlite3ApiConfig = { disable: { vfs: { opfs: true, "opfs-vfs": true, "opfs-wl": true, "opfs-sahpool": true } } };
  // The name stands for an address: a module that came from a Blob has none to look beside.
  const sqlite3 = await sqlite3InitModule({ wasmBinary, locateFile: (name) => name });
  const { capi, wasm, oo1 } = sqlite3;
  const load = (connection, schema, bytes) => {
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY;
    const code = capi.sqlite3_deserialize(
      connection, schema, wasm.allocFromTypedArray(bytes), bytes.length, bytes.length, flags,
    );
    connection.checkRc(code);
  };
  return {
    sourceId: capi.sqlite3_sourceid(),
    /** A collection from the bytes of its index and of its state plane. */
    open(index, state) {
      const connection = new oo1.DB(":memory:");
      load(connection, "main", index);
      connection.exec("ATTACH ':memory:' AS state");
      load(connection, "state", state);
      connection.createFunction({
        name: "vec_distance_cosine", arity: 2, deterministic: true, xFunc: (_, one, other) => cosineDistance(one, other),
      });
      return {
        run: (sql, bind) => connection.exec({ sql, bind, rowMode: "array", returnValue: "resultRows" }),
        close: () => connection.close(),
      };
    },
  };
}
