import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../golden/hand-written-tools');
const FILE = 'specs/office/tools/sum-month.ts';

const roots: string[] = [];
afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true });
});

async function workspace(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'hand-written-'));
  roots.push(root);
  await cp(path.join(EXAMPLE, 'specs'), path.join(root, 'specs'), { recursive: true });
  return root;
}

async function edit(root: string, change: (text: string) => string, file = FILE): Promise<void> {
  const target = path.join(root, file);
  const text = await readFile(target, 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(target, change(text));
}

async function generated(root: string) {
  const { diagnostics, files, services } = await generate({ root, today: '2026-06-01' });
  const said = diagnostics.map(
    ({ code, file, position, message }) => `${code} ${path.basename(file)}:${position?.line ?? null} ${message}`,
  );
  return { said, files, tools: services[0]?.connector?.handWritten ?? [] };
}

async function changed(change: (text: string) => string) {
  const root = await workspace();
  await edit(root, change);
  return generated(root);
}

const codeOf = async (change: (text: string) => string) =>
  (await changed(change)).tools.find(({ name }) => name === 'office_sum_month')?.code;

describe('an invalid hand-written tool', () => {
  test.each<[string, (text: string) => string, string]>([
    [
      'does not parse',
      (text) => text.replace('uses: [', 'uses: ['.repeat(2)),
      "hand-written-file sum-month.ts:11 It does not parse: ',' expected.",
    ],
    [
      'exports something else too',
      (text) => text.replace('type Invoices', 'export type Invoices'),
      'hand-written-file sum-month.ts:null It has no `export const tool = defineTool({ ... })`, or another export.',
    ],
    [
      'imports from elsewhere',
      (text) => `import { readFile } from 'node:fs/promises';\n${text}`,
      'hand-written-import sum-month.ts:1 It imports node:fs/promises.',
    ],
    [
      'imports a tool of another service',
      (text) => text.replace('generated/office/', 'generated/crm/'),
      'hand-written-import sum-month.ts:3 It imports ../../../generated/crm/define-tool.ts.',
    ],
    [
      'imports while it runs',
      (text) => text.replace('let count = 0;', "let count = 0; await import('node:fs');"),
      'hand-written-import sum-month.ts:31 It imports while it runs.',
    ],
    [
      'sends requests by itself',
      (text) => text.replace('let count = 0;', "let count = 0; await fetch('https://evil.example');"),
      'hand-written-import sum-month.ts:31 It names fetch.',
    ],
    [
      'has code where a literal belongs',
      (text) => text.replace(`"Sum a month's invoices"`, 'String(1)'),
      'hand-written-definition sum-month.ts:8 "title" is code: codegen reads literals.',
    ],
    [
      'has an unknown member',
      (text) => text.replace('uses:', 'hints: {}, uses:'),
      'hand-written-definition sum-month.ts:11 Unknown key "hints".',
    ],
    [
      'accepts arguments that it does not declare',
      (text) => text.replace('additionalProperties: false', 'additionalProperties: true'),
      'hand-written-definition sum-month.ts:16 "additionalProperties" is true: expected false',
    ],
    [
      'has an argument without a description',
      (text) => text.replace(", description: 'Month, such as 2026-04.'", ''),
      'hand-written-definition sum-month.ts:14 "description" is missing.',
    ],
    [
      'has an invalid schema',
      (text) => text.replace("invoices: { type: 'integer'", "invoices: { type: 'whole'"),
      'hand-written-definition sum-month.ts:18 outputSchema is no JSON Schema',
    ],
    [
      'uses a tool that does not exist',
      (text) => text.replace("uses: ['office_list_invoices']", "uses: ['office_list_invoice']"),
      'hand-written-uses sum-month.ts:11 There is no generated tool office_list_invoice.',
    ],
    [
      'has an old name that another tool has',
      (text) => text.replace('uses:', "aliases: { office_get_document: { until: '2027-01-01' } }, uses:"),
      'hand-written-name sum-month.ts:11 office_get_document is a name of office_get_document.',
    ],
    [
      'keeps an expired old name',
      (text) => text.replace('uses:', "aliases: { office_sum: { until: '2026-01-01' } }, uses:"),
      'config-alias-ended sum-month.ts:11 The alias office_sum ended on 2026-01-01.',
    ],
    [
      'is rejected by a client',
      (text) => text.replace("pattern: '^", () => "pattern: '^(?=x)"),
      'profile-refused sum-month.ts:7 office_sum_month breaks openai/lookaround',
    ],
  ])('is reported at its line where it %s', async (_, change, expected) => {
    const { said } = await changed(change);
    expect(said.join('\n')).toContain(expected);
  });

  test.each([
    ['Sum_Year', 'hand-written-file Sum_Year.ts:null "Sum_Year.ts" cannot name a tool.'],
    ['list-invoices', 'hand-written-name list-invoices.ts:7 office_list_invoices is a name of office_list_invoices.'],
  ])('is reported for its file name: %s', async (name, expected) => {
    const root = await workspace();
    const tools = path.join(root, 'specs/office/tools');
    await cp(path.join(tools, 'sum-month.ts'), path.join(tools, `${name}.ts`));
    expect((await generated(root)).said).toEqual([expected]);
  });

  test('is reported where a tool that finds items of a list has its name', async () => {
    const root = await workspace();
    const find = '{ tool: office_sum_month, by: [currency] }';
    const pagination = '{ argument: cursor, next: /next_cursor, items: /invoices }';
    const tool = `  office_list_invoices: { operation: listInvoices, find: ${find}, pagination: ${pagination} }`;
    await edit(root, (text) => `${text}tools:\n${tool}\n`, 'specs/office/connector.yaml');
    expect((await generated(root)).said).toEqual([
      'hand-written-name sum-month.ts:7 office_sum_month is a name of office_sum_month.',
    ]);
  });

  test('is not read where it links out of its folder', async () => {
    const root = await workspace();
    await mkdir(path.join(root, 'elsewhere'));
    await writeFile(path.join(root, 'elsewhere/secret.ts'), 'export const tool = 1;');
    await symlink(path.join(root, 'elsewhere/secret.ts'), path.join(root, 'specs/office/tools/linked.ts'));
    const { said, files } = await generated(root);
    expect(said).toEqual(['hand-written-file linked.ts:null tools/linked.ts lies outside specs/office/.']);
    expect(files).toEqual([]);
  });
});

describe('the code of a hand-written tool', () => {
  test('has another digest when its behaviour changes, and the same when only its texts change', async () => {
    const own = (await generated(await workspace())).tools.find(({ name }) => name === 'office_sum_month')?.code;
    expect(await codeOf((text) => text.replace('Adds up all invoices', 'Sums all invoices'))).toBe(own);
    expect(await codeOf((text) => text.replaceAll('\n', '\r\n'))).toBe(own);
    expect(await codeOf((text) => text.replace('invoices.length', '2 * invoices.length'))).not.toBe(own);
    expect(own).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('what a hand-written tool inherits from the tools that it uses', () => {
  test('has the hints of the most dangerous of them', async () => {
    const { tools } = await changed((text) =>
      text.replace("uses: ['office_list_invoices']", "uses: ['office_list_invoices', 'office_delete_document']"),
    );
    expect(tools.find(({ name }) => name === 'office_sum_month')).toMatchObject({
      uses: ['office_delete_document', 'office_list_invoices'],
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    });
  });

  test('requires the scopes of all of them', async () => {
    const root = await workspace();
    const config = 'specs/office/connector.yaml';
    await edit(
      root,
      () => `credential:
  parts:
    - { id: oauth, type: oauth2, label: Office }
  oauth2:
    oauth: { authorizationUrl: https://office.example/a, tokenUrl: https://office.example/t }
pagination: { argument: cursor, next: /next_cursor }
tools:
  office_list_invoices: { operation: listInvoices, scopes: [[invoices:read], [all:read]] }
  office_get_document: { operation: getDocument, scopes: [documents:read] }
`,
      config,
    );
    await edit(root, (text) =>
      text.replace("uses: ['office_list_invoices']", "uses: ['office_list_invoices', 'office_get_document']"),
    );
    const { said, tools } = await generated(root);
    expect(said.filter((line) => line.startsWith('hand-written'))).toEqual([]);
    expect(tools.find(({ name }) => name === 'office_sum_month')?.scopes).toEqual([
      ['documents:read', 'invoices:read'],
      ['all:read', 'documents:read'],
    ]);
  });
});
