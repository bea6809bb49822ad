import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { connectorConfigSchema } from '../../../codegen/load/connector-config.ts';
import { emitConnectorSchema } from '../../../codegen/load/connector-schema.ts';
import { parseSource } from '../../../codegen/load/text/source.ts';
import { descriptor, loadNotes } from './service-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

async function problemsIn(text: string): Promise<string[]> {
  const { problems, config, locate } = await loadNotes({ 'openapi.yaml': descriptor(), 'connector.yaml': text });
  if (problems.length > 0) expect(config).toEqual(connectorConfigSchema.parse({}));
  return problems.map(
    ({ file, position, pointer, message }) => `${(position ?? locate(file, pointer))?.line} ${pointer} ${message}`,
  );
}

describe('connector.yaml', () => {
  test('is optional', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': descriptor() });
    expect(loaded.problems).toEqual([]);
    expect(loaded.configFile).toBeNull();
    expect(loaded.config).toEqual({
      acknowledged: {},
      categories: [],
      serverVariables: {},
      synonyms: {},
      credential: {},
      expose: 'all',
      notExposed: {},
      defaults: {},
      outputSchemas: 'full',
      tools: {},
    });
  });

  test.each(['', '# nothing decided\n', '{}'])('may be empty: %j', async (text) => {
    expect(await problemsIn(text)).toEqual([]);
  });

  test('is read next to the descriptor', async () => {
    const { config, configFile, problems } = await loadNotes({
      'openapi.yaml': descriptor(),
      'connector.yaml': 'title: Notes\ntools:\n  notes_list: { operation: GET /notes, pagination: null }\n',
    });
    expect(problems).toEqual([]);
    expect(configFile).toBe('specs/notes/connector.yaml');
    expect(config.title).toBe('Notes');
    expect(config.tools).toEqual({ notes_list: { operation: 'GET /notes', pagination: null } });
  });

  test.each(['connector.yml', 'connector.json'])('is reported under the name %s', async (name) => {
    const { problems } = await loadNotes({ 'openapi.yaml': descriptor(), [name]: '{}' });
    expect(problems.map(({ code, file }) => `${code} ${file}`)).toEqual([`config-misnamed specs/notes/${name}`]);
  });

  const cases: [string, { given: string; want: string[] }][] = [
    ['a repeated key', { given: 'title: a\ntitle: b', want: ['2  Map keys must be unique.'] }],
    [
      'a code with an asterisk inside',
      {
        given: 'errors: { outcomes: { "Q*1": forbidden } }',
        want: ['1 /errors/outcomes/Q*1 The key "Q*1" must be a code of at most 64 characters, or its beginning and *.'],
      },
    ],
    [
      'an unknown outcome',
      {
        given: 'errors: { outcomes: { Q1: forbiden } }',
        want: [
          '1 /errors/outcomes/Q1 "Q1" is "forbiden": Invalid option: expected one of "bad_request"|"conflict"|"forbidden"|"gone"|"invalid_request"|"not_found"|"payment_required"|"quota_exhausted"|"rate_limited"|"request_too_large"|"upstream_error"|"upstream_unavailable".',
        ],
      },
    ],
    [
      'a limit without headers',
      {
        given: 'rateLimitHeaders: [{ quota: true }]',
        want: ['1 /rateLimitHeaders/0 "rateLimitHeaders[0]" names neither `remaining` nor `reset`.'],
      },
    ],
    [
      'an invalid header name',
      {
        given: 'rateLimitHeaders: [{ reset: "a b" }]',
        want: ['1 /rateLimitHeaders/0/reset "reset" is "a b": must be the name of a header.'],
      },
    ],
    ['empty caps', { given: 'caps: {}', want: ['1 /caps "caps" gives neither `concurrency` nor `rate`.'] }],
    [
      'a cap of zero',
      {
        given: 'caps: { concurrency: 0 }',
        want: ['1 /caps/concurrency "concurrency" is 0: Too small: expected number to be >=1.'],
      },
    ],
    ['a list', { given: '[1]', want: ['1  "" is [1]: expected object, received array.'] }],
    ['an unknown key', { given: 'toolss: {}', want: ['1 /toolss Unknown key "toolss". Did you mean "tools"?'] }],
    [
      'the rest of a text after a comma',
      {
        given: 'credential: { help: Open Settings, then API keys. }',
        want: ['1 /credential/then API keys. Unknown key "then API keys.". Put quotes around a text with a comma.'],
      },
    ],
    ['an unknown key that resembles no other', { given: 'zzzzzzzz: 1', want: ['1 /zzzzzzzz Unknown key "zzzzzzzz".'] }],
    [
      'a key that is gone',
      {
        given: 'tools: { a_b: { operation: x, undo: { tool: a_c } } }',
        want: ['1 /tools/a_b/undo The key "undo" is gone. The gateway no longer takes calls back. Remove the key.'],
      },
    ],
    [
      'output schemas in lists',
      {
        given: 'listAnswers: names\ntools: { a: { operation: x, listAnswers: schema } }',
        want: [
          '2 /tools/a/listAnswers The key "listAnswers" is gone. Clients that want output schemas use the catalogue mode full. Remove the key.',
          '1 /listAnswers The key "listAnswers" is gone. Clients that want output schemas use the catalogue mode full. Remove the key.',
        ],
      },
    ],
    [
      'common arguments',
      {
        given: 'tools: { a: { operation: x, common: [b] } }',
        want: [
          '1 /tools/a/common The key "common" is gone. Lists describe the arguments under `arguments`: describe these there.',
        ],
      },
    ],
    [
      'an optional body',
      {
        given: 'tools: { a: { operation: x, optionalBody: true } }',
        want: [
          '1 /tools/a/optionalBody The key "optionalBody" is gone. Take `required` out of the schema of the body with an overlay.',
        ],
      },
    ],
    [
      'a selection that is gone',
      {
        given: 'only: { tags: [notes] }',
        want: [
          '1 /only The key "only" is gone. Write what it holds under `expose`, with `listed: true` where that was `listed`.',
        ],
      },
    ],
    [
      'an unknown key of a selection',
      {
        given: 'expose: { tgas: [notes], readOnly: true }',
        want: ['1 /expose/tgas Unknown key "tgas". Did you mean "tags"?'],
      },
    ],
    [
      'a selection of nothing',
      {
        given: 'expose: { listed: true }',
        want: ['1 /expose "expose" selects nothing: give `operations`, `tags` or `readOnly`.'],
      },
    ],
    [
      'an unknown word for what is exposed',
      {
        given: 'expose: some',
        want: ['1 /expose "expose" is "some": Invalid option: expected one of "all"|"listed"|"selection".'],
      },
    ],
    [
      'settings of OAuth 2.0 in a part',
      {
        given: 'credential: { parts: [{ id: a, type: oauth2, label: A, tokenUrl: x }] }',
        want: [
          '1 /credential/parts/0/tokenUrl The key "tokenUrl" is gone. Settings of OAuth 2.0 are under credential.oauth2, by the id of the part.',
        ],
      },
    ],
    [
      'settings of OAuth 2.0 in an alternative',
      {
        given: 'credential: { alternatives: [{ label: B, parts: [{ id: a, type: oauth2, label: A, prefix: x }] }] }',
        want: [
          '1 /credential/alternatives/0/parts/0/prefix The key "prefix" is gone. Settings of OAuth 2.0 are under credential.oauth2, by the id of the part.',
        ],
      },
    ],
    [
      'parts of an extra',
      {
        given: 'credential: { extras: [{ label: B, schemes: [b], parts: [] }] }',
        want: [
          '1 /credential/extras/0/parts The key "parts" is gone. Name its security schemes under `schemes`. An overlay can add one to the descriptor.',
        ],
      },
    ],
    [
      'unknown keys inside records',
      {
        given: 'tools:\n  a:\n    operation: x\n    arguments:\n      b:\n        descripton: c\n',
        want: ['6 /tools/a/arguments/b/descripton Unknown key "descripton". Did you mean "description"?'],
      },
    ],
    [
      'a tool name that no client accepts',
      {
        given: 'tools:\n  Bad-Name: { operation: x }',
        want: [
          '2 /tools/Bad-Name The key "Bad-Name" must be 1 to 64 lower-case letters, digits and _, a letter first.',
        ],
      },
    ],
    [
      'a missing operation',
      { given: 'tools: { a: { title: b } }', want: ['1 /tools/a/operation "operation" is missing.'] },
    ],
    [
      'a wire address without a place',
      {
        given: 'tools: { a: { operation: x, arguments: { b: { wire: b } } } }',
        want: [
          '1 /tools/a/arguments/b/wire "wire" is "b": must be body, path.x, query.x, header.x, cookie.x, body.x, body.x.y, query.x[key] or query.x[{argument}].',
        ],
      },
    ],
    [
      'a pointer without a slash',
      {
        given: 'pagination: { argument: cursor, next: next_cursor }',
        want: [
          '1 /pagination/next "next" is "next_cursor": must be an RFC 6901 JSON pointer such as /pagination/next_cursor.',
        ],
      },
    ],
    [
      'limits that leave no valid value',
      {
        given: 'defaults: { arguments: { a: { minimum: 2, maximum: 1, minItems: 3, maxItems: 2 } } }',
        want: [
          '1 /defaults/arguments/a/maximum "maximum" is less than minimum.',
          '1 /defaults/arguments/a/maxItems "maxItems" is less than minItems.',
        ],
      },
    ],
    [
      'a pattern that does not compile',
      {
        given: "defaults: { arguments: { a: { pattern: '(?i)x' } } }",
        want: ['1 /defaults/arguments/a/pattern "pattern" is not a regular expression of ECMA-262 with the u flag.'],
      },
    ],
    [
      'a default outside its enum',
      {
        given: 'defaults: { arguments: { a: { enum: [1, 2, 2], default: 3 } } }',
        want: [
          '1 /defaults/arguments/a/enum "enum" repeats a value.',
          '1 /defaults/arguments/a/default "default" is not one of `enum`.',
        ],
      },
    ],
    [
      'an argument that is not sent but has a wire address',
      {
        given: 'defaults: { arguments: { a: { sent: false, wire: query.a } } }',
        want: ['1 /defaults/arguments/a/wire "wire" contradicts `sent: false`: keep one of them.'],
      },
    ],
    [
      'a template without an argument',
      {
        given: 'defaults: { arguments: { a: { mustEqual: vendor } } }',
        want: [
          '1 /defaults/arguments/a/mustEqual "mustEqual" names no other argument in braces, such as {vendorCode}.',
        ],
      },
    ],
    [
      'hints without a difference',
      {
        given: 'tools: { a: { operation: x, hints: { reason: y } } }',
        want: ['1 /tools/a/hints "hints" gives a reason and changes no hint.'],
      },
    ],
    [
      'hints without a reason',
      {
        given: 'tools: { a: { operation: x, hints: { readOnlyHint: true } } }',
        want: ['1 /tools/a/hints/reason "reason" is missing.'],
      },
    ],
    [
      'a parameter that is fixed, omitted and an argument',
      {
        given:
          'tools: { a: { operation: x, omit: [query.b, query.b], fixed: { query.b: 1 }, arguments: { c: { wire: query.b } } } }',
        want: [
          '1 /tools/a/omit/0 "omit[0]" query.b is under `fixed` as well.',
          '1 /tools/a/omit/1 "omit[1]" query.b is under `fixed` as well.',
          '1 /tools/a/omit/1 "omit[1]" repeats query.b.',
          '1 /tools/a/arguments/c/wire "wire" query.b is under `fixed` as well.',
        ],
      },
    ],
    [
      'an operation that is both exposed and not exposed',
      {
        given: 'notExposed: { listNotes: No use. }\ntools: { a: { operation: listNotes } }',
        want: ['2 /tools/a/operation "operation" listNotes is under `notExposed` as well.'],
      },
    ],
    [
      'a server variable with two sources',
      {
        given: 'serverVariables: { a: { default: x, derive: { from: b, removeSuffix: /c } }, b: {} }',
        want: [
          '1 /serverVariables/a/derive "derive" contradicts `default`: keep one of them.',
          '1 /serverVariables/b "b" decides nothing.',
        ],
      },
    ],
    [
      'one environment variable for two server variables',
      {
        given: 'serverVariables: { a: { env: NOTES_URL }, b: { env: NOTES_URL } }',
        want: ['1 /serverVariables/b/env "env" NOTES_URL is the environment variable of a already.'],
      },
    ],
    ['a repeated category', { given: 'categories: [A, A]', want: ['1 /categories/1 "categories[1]" repeats "A".'] }],
    [
      'a page of the upstream without https',
      {
        given: 'credential: { url: http://example.com }',
        want: ['1 /credential/url "url" is "http://example.com": must be an https URL.'],
      },
    ],
  ];
  test.each(cases)('is refused with %s', async (_title, { given, want }) => {
    expect(await problemsIn(given)).toEqual(want);
  });
});

describe('the published JSON Schema', () => {
  const validate = new Ajv({ strict: true, strictTypes: false, formats: { uri: true, date: true } }).compile(
    JSON.parse(emitConnectorSchema()),
  );

  test.each(readdirSync(path.join(ROOT, 'specs')))('accepts specs/%s/connector.yaml', (service) => {
    const file = `specs/${service}/connector.yaml`;
    validate(parseSource(file, readFileSync(path.join(ROOT, file), 'utf8')).value);
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['an unknown key', { titel: 'x' }],
    ['a wrong tool name', { tools: { 'Bad-Name': { operation: 'x' } } }],
    ['a tool without an operation', { tools: { a: {} } }],
  ])('refuses %s', (_title, value) => {
    expect(validate(value)).toBe(false);
  });

  test('describes every setting whose name does not explain it', () => {
    const plain = new Set([
      '$schema',
      'minimum',
      'maximum',
      'minItems',
      'maxItems',
      'id',
      'type',
      'label',
      'status',
      'arguments',
    ]);
    const silent: string[] = [];
    const visit = (value: unknown): void => {
      if (value === null || typeof value !== 'object') return;
      const { properties = {} } = value as { properties?: Record<string, { description?: string; $ref?: string }> };
      for (const [name, property] of Object.entries(properties)) {
        if (property.description === undefined && !plain.has(name)) silent.push(name);
      }
      for (const child of Object.values(value)) visit(child);
    };
    visit(JSON.parse(emitConnectorSchema()));
    expect(silent).toEqual([]);
  });
});
