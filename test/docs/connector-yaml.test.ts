import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CONNECTOR_SCHEMA_FILE } from '../../codegen/load/connector-schema.ts';
import { CONNECTOR_REFERENCE_FILE, EXAMPLES } from '../../scripts/docs/connector-yaml.ts';
import { descriptor, loadNotes } from '../codegen/load/service-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, CONNECTOR_REFERENCE_FILE), 'utf8');

const rows = page
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [title = '', ...lines] = section.replaceAll('\\<', '<').split('\n');
    return lines.flatMap((line) => {
      const [, key = '', example = ''] = /^\| \[?`([^`]+)`.*\| `([^`]+)` \|$/.exec(line) ?? [];
      return key === '' ? [] : [{ section: title === 'The file' ? '' : title, key, example }];
    });
  });

const EVENTS = { signature: 'standard-webhooks', type: 'body.type', types: {} };

/** What is around an example at its place. */
function place(section: string, value: unknown): unknown {
  const steps = section.match(/<[^>]+>|\[\]|[^.[\]]+/g) ?? [];
  return steps.reduceRight((inner: unknown, step) => {
    if (step === '[]') return [inner];
    if (step === '<tool>') return { notes_list: { operation: 'listNotes', ...(inner as object) } };
    if (step === 'verify' && section.startsWith('credential.extras'))
      return { label: 'Admin key', schemes: ['adminKey'], verify: inner };
    if (step === 'events' && section !== 'events') return { events: { ...EVENTS, ...(inner as object) } };
    return { [step.startsWith('<') ? 'notes_all' : step]: inner };
  }, value);
}

/** Names of all members that the schema describes, by the object that has them. */
function membersIn(node: unknown): string[][] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties } = node as { properties?: Readonly<Record<string, unknown>> };
  const own = properties === undefined ? [] : [Object.keys(properties)];
  return [...own, ...Object.values(node).flatMap(membersIn)];
}

describe('the page of the keys of connector.yaml', () => {
  test('has every key of the schema, and no other', () => {
    const schema: unknown = JSON.parse(readFileSync(path.join(ROOT, CONNECTOR_SCHEMA_FILE), 'utf8'));
    const objects = membersIn(schema);
    const sections = [...Map.groupBy(rows, ({ section }) => section).values()].map((all) => all.map(({ key }) => key));
    const missing = objects.filter((keys) => !sections.some((section) => keys.every((key) => section.includes(key))));
    expect(missing).toEqual([]);
    expect(rows.filter(({ key }) => !objects.some((keys) => keys.includes(key)))).toEqual([]);
    expect(rows.length).toBeGreaterThan(120);
  });

  test.each(rows.map((row) => [`${row.section}.${row.key}`, row] as const))(
    'shows %s as it may be written',
    async (_, row) => {
      const value = parse(row.example);
      expect(Object.hasOwn(value, row.key)).toBe(true);
      const text = stringify(place(row.section, value));
      const { problems, config } = await loadNotes({
        'openapi.yaml': descriptor(),
        'connector.yaml': text,
        'logo.png': PNG,
      });
      expect(problems).toEqual([]);
      expect(config).toMatchObject(place(row.section, value) as object);
    },
  );

  test('has examples of its own keys alone', () => {
    const shown = new Set(rows.map(({ section, example }) => `${section} ${example}`));
    const unused = Object.entries(EXAMPLES).flatMap(([section, examples]) =>
      examples.filter((example) => !shown.has(`${section} ${example}`)),
    );
    expect(unused).toEqual([]);
  });
});

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
