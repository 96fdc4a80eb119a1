// What a link says that nothing reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeAddress, encodeAddress } from "../../src/model/address.ts";
import { withoutUnread } from "../../src/model/unread.ts";

// The refusals are those of the engine (core/strict, core/run).
const refusals: [link: string, refusal: string, unread: string, rest: Record<string, unknown>][] = [
  ["#sys=central&x.policy=formula&x.policy.deep=1", "settings: policy is an object, not a text", "x.policy.deep", { policy: "formula" }],
  ["#x.fill.a.b=3", "settings: fill is an object, not a number", "x.fill.a.b", {}],
  ["#x.fill=0.5&x.later=true", 'settings: unknown field "later"; remove it or correct its name', "x.later", { fill: 0.5 }],
  ["#x.later.deep=1", 'settings: unknown field "later"; remove it or correct its name', "x.later.deep", {}],
  ["#x.batch.ordr=saf", 'settings: unknown field "ordr": did you mean order?', "x.batch.ordr", {}],
  [
    "#x.policy=easy",
    "settings: rounds has no policy, which is a setting of the system central: choose that system, or leave the setting out",
    "x.policy",
    {},
  ],
];

test("a setting that the engine refuses is left out, told and kept in the address", async () => {
  for (const [link, refusal, unread, rest] of refusals) {
    const { address } = await decodeAddress(link);
    const left = withoutUnread(address, refusal);
    assert.ok(left, link);
    assert.deepEqual(left.address.settings, rest, link);
    assert.equal(left.told, `The link also says “${unread}”, which nothing here reads; it is kept in the address.`);
    assert.match(await encodeAddress(left.address), new RegExp(`(^|&)${unread.replaceAll(".", "\\.")}=`), link);
  }
});

test("a refusal of something else is no such setting", async () => {
  const { address } = await decodeAddress("#x.fill=7&x.policy=easy");
  for (const refusal of [
    "settings: fill is 7: choose 0 to 1",
    "cluster.nodes is 3: choose 10 or more",
    'settings: unknown field "other"; remove it or correct its name',
  ])
    assert.equal(withoutUnread(address, refusal), undefined, refusal);
});
