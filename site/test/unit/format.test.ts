import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytes,
  clock,
  DAY,
  duration,
  fraction,
  HOUR,
  MINUTE,
  parseDuration,
  quantity,
  SECOND,
  short,
  speed,
  words,
} from "../../src/base/format.ts";

test("times are read as they are written", () => {
  for (const us of [0, 1, 250_000, SECOND, 90 * SECOND, 6 * HOUR + 12 * MINUTE + 40 * SECOND, 29 * DAY, 29 * DAY + 1]) {
    assert.equal(parseDuration(duration(us)), us, duration(us));
  }
});

test("times in the ways people write them", () => {
  assert.equal(duration(6 * HOUR + 12 * MINUTE + 40 * SECOND), "6h12m40s");
  assert.equal(duration(29 * DAY), "29d");
  assert.equal(duration(0), "0s");
  assert.equal(parseDuration("06:12:40"), parseDuration("6h12m40s"));
  assert.equal(parseDuration("3 d 06:12"), 3 * DAY + 6 * HOUR + 12 * MINUTE);
  assert.equal(parseDuration("1m2ms3us"), MINUTE + 2003);
  for (const text of ["", "soon", "12", "-5s", "1h 2m", "6:1:2:3"]) assert.equal(parseDuration(text), undefined, text);
  assert.equal(clock(3 * DAY + 6 * HOUR + SECOND), "3 d 06:00:01");
});

test("numbers keep the digits that matter", () => {
  assert.equal(short(2_140_000), "2.14 M");
  assert.equal(short(45_400), "45.4 k");
  assert.equal(short(8743), "8,743");
  assert.equal(bytes(96_000_000), "96 MB");
  assert.equal(bytes(1_960_000_000), "1.96 GB");
  assert.equal(bytes(12), "12 B");
  assert.equal(quantity(0.254, "%"), "0.25 %");
  assert.equal(quantity(203_000, "MB/min"), "203 GB/min");
  assert.equal(speed(0), "max");
  assert.equal(speed(86_400), "86,400×");
  assert.equal(fraction(0.4154), "0.415");
  assert.equal(fraction(0.0407), "0.0407");
  assert.equal(fraction(0), "0.0");
  assert.equal(words("scan_reallocation"), "Scan reallocation");
});
