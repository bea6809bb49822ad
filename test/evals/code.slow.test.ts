import { join, resolve } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRequests, watch } from '../../scripts/evals/requests.ts';
import { type OpenWorld, openWorld } from '../../scripts/evals/world.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';

/** Of a request: the program and what its model reads. */
const MAX_TOKENS = 200;

const COFFEE = `let brandId;
for await (const brand of mailer.listBrands({ where: { name: "Harbor Coffee" } })) brandId = brand.id;
`;

/** Programs as a model writes them that has read the declarations. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'Which e-mail address does Ana Ruiz have in Affinity?': `for await (const p of crm.listPersons({ where: { firstName: "Ana", lastName: "Ruiz" } })) return p.primaryEmailAddress;`,
  'Who is behind bruno.visser@coralsteel.example, and is it one of us?': `for await (const p of crm.listPersons({ where: { emailAddresses: "bruno.visser@coralsteel.example" } })) return p.type;`,
  'How many people do we know at Acme Robotics?': `let n = 0;
for await (const p of crm.listPersons()) if (p.primaryEmailAddress?.endsWith("@acme.example")) n += 1;
return n;`,
  'On which lists is Maya Lindqvist?': `const ids = [];
for await (const p of crm.listPersons({ where: { firstName: "Maya", lastName: "Lindqvist" } }))
  for await (const list of crm.listPersonLists({ personId: p.id })) ids.push(list.id);
return ids;`,
  'How many deals are in negotiation?': `let n = 0;
for await (const e of crm.listListEntries({ listId: 1802, fieldTypes: ["list"] }))
  if (e.entity.fields.some((f) => f.name === "Stage" && f.value.data === "Negotiation")) n += 1;
return n;`,
  'What is the largest round among the deals that we won?': `let most = 0;
for await (const { entity } of crm.listListEntries({ listId: 1802, fieldTypes: ["list"] })) {
  const field = (name) => entity.fields.find((f) => f.name === name)?.value.data;
  if (field("Stage") === "Won") most = Math.max(most, field("Round size") ?? 0);
}
return most;`,
  'How many people work for Amber Robotics?': `for await (const c of crm.listCompanies({ where: { name: "Amber Robotics" }, fieldTypes: ["enriched"] }))
  return c.fields.find((f) => f.name === "Number of Employees").value.data;`,
  'How many contacts of Harbor Coffee have unsubscribed?': `${COFFEE}let n = 0;
for await (const c of mailer.listContacts({ brandId })) if (c.unsubscribe_all) n += 1;
return n;`,
  'Does hugo.nakamura@northernlogistics.example still get mail from Harbor Coffee?': `${COFFEE}return (await mailer.getContact({ brandId, contactId: "hugo.nakamura@northernlogistics.example" })).unsubscribe_all;`,
  'Which contacts of Harbor Coffee work at Sable Toys?': `${COFFEE}const emails = [];
for await (const c of mailer.listContacts({ brandId }))
  if (c.field_values.some((f) => f.name === "COMPANY" && f.string === "Sable Toys")) emails.push(c.email);
return emails;`,
  'When did somebody last join the newsletter of Harbor Coffee?': `${COFFEE}let last = "";
for await (const list of mailer.listLists({ brandId, where: { name: "Newsletter" } }))
  for await (const c of mailer.listContacts({ brandId, listId: list.id })) if (c.created > last) last = c.created;
return last;`,
  'Take mina.weber@deltaschools.example off every campaign of Harbor Coffee.': `${COFFEE}await mailer.updateContact({ brandId, contactId: "mina.weber@deltaschools.example", unsubscribeAll: true });
return "done";`,
  'Unsubscribe everybody of Indigo Paper from Harbor Coffee.': `${COFFEE}let n = 0;
for await (const c of mailer.listContacts({ brandId, where: { email: { endsWith: "@indigopaper.example" } } })) {
  await mailer.updateContact({ brandId, contactId: c.id, unsubscribeAll: true });
  n += 1;
}
return n;`,
};

let world: OpenWorld;
const file = await readRequests(join(import.meta.dirname, 'requests.yaml'));
beforeAll(async () => {
  const connectors = await loadConnectors();
  const root = resolve(import.meta.dirname, '../..');
  world = await openWorld({ root, connectors, mode: 'code', people: file.world });
}, 120_000);
afterAll(() => world?.close());

test.each(Object.entries(PROGRAMS))(
  'a program answers in few tokens: %s',
  async (ask, code) => {
    const request = file.requests.find((one) => one.ask === ask);
    const judge = watch(world.sandbox, request!.expect);
    const { content } = (await world.client.callTool({ name: 'run_code', arguments: { code } })) as {
      content: { text: string }[];
    };
    const [first] = content;
    const wrong = judge(/^["[\d]|^(?:true|false|null)$/.test(first!.text) ? JSON.parse(first!.text) : first!.text);
    const tokens =
      encode(JSON.stringify({ code })).length + content.reduce((sum, { text }) => sum + encode(text).length, 0);
    expect([wrong, content]).toEqual([null, content]);
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
  },
  120_000,
);
