// What is said of the columns of a table, as a mapping and as a command line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assign, commandOf, described, mappingOf, question, type Table, unitsOf, wholeOf } from "../../src/model/mapper.ts";

const columns = ["Eingang", "Dauer (h)", "CPUs, all", "Nutzer"].map((name) => ({ name }));
const nothing = { zone: "", decimal: "", dates: "", machine: "" };

test("a mapping names columns with their units, quotes what needs it, and says which fields that were found are not wanted", () => {
  const said = [
    { field: "submit", unit: "" },
    { field: "runtime", unit: "h" },
    { field: "processors", unit: "" },
    { field: "", unit: "" },
  ];
  assert.equal(
    mappingOf(columns, said, nothing, ["submit", "user"]),
    'submit=Eingang, runtime="Dauer (h)":h, processors="CPUs, all", user=-',
  );
  assert.equal(
    mappingOf(columns, [said[0]], { zone: "+01:00", decimal: "comma", dates: "dmy", machine: " 64x48 " }, []),
    "submit=Eingang, zone=+01:00, decimal=comma, dates=dmy, machine=64x48",
  );
});

test("a field is in one column: the column that had it is left out then, and units go with the field", () => {
  const said = [
    { field: "submit", unit: "ms" },
    { field: "", unit: "" },
  ];
  assert.deepEqual(assign(said, 1, "submit"), [
    { field: "", unit: "" },
    { field: "submit", unit: "" },
  ]);
  assert.deepEqual(assign(said, 0, ""), [
    { field: "", unit: "" },
    { field: "", unit: "" },
  ]);
  const units = ["s", "ms", "us", "ns", "min", "h", "d", "hh:mm", "mm:ss"];
  assert.deepEqual([unitsOf("submit", units)?.length, unitsOf("runtime", units)?.length, unitsOf("user", units)], [4, 9, undefined]);
});

test("what a mapping says of the table as a whole comes back", () => {
  assert.deepEqual(wholeOf('submit="a, zone=x", zone=+01:00, machine=64x48,decimal=comma'), {
    zone: "+01:00",
    decimal: "comma",
    dates: "",
    machine: "64x48",
  });
});

test("the command line is what a shell takes", () => {
  assert.equal(commandOf("log.csv", "submit=a"), "parley run log.csv --map submit=a");
  assert.equal(commandOf("it's.csv", 'submit="a b"'), `parley run 'it'\\''s.csv' --map 'submit="a b"'`);
});

test("a table is told with how it is written and what to look at", () => {
  const table: Table = {
    ...{ type: "table", comma: ";", decimal: ",", fields: [], units: [], asks: "", rows: 12, whole: true, played: 3, widest: 1 },
    ...{ first: 0, last: 0, jobs: [], leftOut: [] },
    columns: [{ name: "Dauer", values: ["1,5"], field: "runtime", unit: "", reads: "s", guess: true }],
  };
  assert.equal(
    described(table),
    "A table with 1 column and 12 rows; separated by semicolons, decimal commas. Meanings are guessed from names and values. Check the marked unit.",
  );
  assert.match(described({ ...table, asks: "x", whole: false, comma: "\t" }), /1 column; separated by tabs.*Say what is missing below/);
  assert.equal(
    question("is a table of jobs without a column that is known for submit (columns: a, b)"),
    "There is no column that is known for submit.",
  );
});
