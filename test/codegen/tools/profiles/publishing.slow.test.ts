import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listServices, loadService } from '../../../../codegen/load/index.ts';
import { buildServiceModel } from '../../../../codegen/model/index.ts';
import type { Schema } from '../../../../codegen/model/types.ts';
import { buildConnectorModel } from '../../../../codegen/tools/index.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { answer, buildOne, jsonBody, parameter } from '../service.ts';
import { profileFaults } from './publishing.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

const faults: string[] = [];
const report = (text: string) => faults.push(text);
const ajv = new Ajv2020({ strict: false, logger: { log: report, warn: report, error: report } });
addFormats.default(ajv);

function compile(tool: ToolModel): void {
  faults.length = 0;
  for (const schema of [tool.inputSchema, tool.outputSchema]) {
    if (ajv.validateSchema(schema) !== true) report(ajv.errorsText());
    ajv.compile(schema);
    ajv.removeSchema(schema);
  }
  expect(faults).toEqual([]);
}

function listed(tools: readonly ToolModel[]): unknown {
  return {
    tools: tools.map(({ name, title, description, annotations, inputSchema, outputSchema }) =>
      JSON.parse(JSON.stringify({ name, title, description, annotations, inputSchema, outputSchema })),
    ),
  };
}

const NAMES = ['A', 'B', 'C', 'D'];
const REFS = NAMES.map((name) => ({ $ref: `#/components/schemas/${name}` }));
const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => {
  const junk = fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, '', '(', 'x', [], {}, [null], ['a', 'a'], {
    a: 1,
  });
  const inner = fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Schema>({}, { type: 'string' }, { type: 'null' }, ...REFS),
    tie('schema'),
  );
  const loose = fc.oneof(
    { weight: 6, arbitrary: inner },
    { weight: 1, arbitrary: fc.boolean() as fc.Arbitrary<unknown> as fc.Arbitrary<Schema> },
  );
  const type = fc.constantFrom<unknown>(
    'string',
    'number',
    'integer',
    'boolean',
    'object',
    'array',
    'null',
    ['string', 'null'],
    ['object', 'array'],
    'file',
  );
  const members = fc.dictionary(
    fc.constantFrom('a', 'b', 'id', '$ref', 'enum', 'properties', '__proto__', 'page', '名'),
    loose,
    { maxKeys: 3 },
  );
  return {
    schema: fc
      .record(
        {
          type,
          properties: members,
          required: fc.oneof(fc.constantFrom<unknown>(['a'], ['a', 'b', 'a'], ['missing'], 'a'), junk),
          items: loose,
          prefixItems: fc.array(inner, { maxLength: 2 }),
          additionalProperties: loose,
          patternProperties: fc.dictionary(fc.constantFrom('^x', '(', '\\p'), inner, { maxKeys: 1 }),
          allOf: fc.array(inner, { maxLength: 2 }),
          anyOf: fc.array(inner, { maxLength: 3 }),
          oneOf: fc.array(inner, { maxLength: 3 }),
          not: loose,
          if: inner,
          ...Object.fromEntries([['then', inner]]),
          enum: fc.oneof(fc.constantFrom<unknown>(['a', 'b'], [1, null], [{}]), junk),
          const: junk,
          format: fc.oneof(fc.constantFrom<unknown>('date', 'uuid', 'nonsense', 'constructor'), junk),
          pattern: fc.oneof(fc.constantFrom<unknown>('^a$', '[', '\\d+'), junk),
          minLength: junk,
          minimum: junk,
          multipleOf: junk,
          uniqueItems: junk,
          dependentRequired: fc.oneof(fc.constantFrom<unknown>({ a: ['b'] }, { a: ['b', 'b'] }), junk),
          description: fc.oneof(fc.string(), junk),
          title: junk,
          default: junk,
          examples: junk,
          deprecated: junk,
          readOnly: junk,
          writeOnly: junk,
          $ref: fc.constantFrom(...REFS).map(({ $ref }) => $ref),
        },
        { requiredKeys: [] },
      )
      .chain((full) => {
        const keys = Object.keys(full);
        return fc
          .subarray(keys, { maxLength: Math.min(keys.length, 4) })
          .map((kept) => Object.fromEntries(kept.map((key) => [key, full[key as keyof typeof full]])) as Schema);
      }),
  };
});

describe('the publishing profile', () => {
  it('is met for any schemas in body, query and answer, even circular ones', () => {
    const components = fc.tuple(anySchema, anySchema, anySchema, anySchema);
    fc.assert(
      fc.property(anySchema, anySchema, anySchema, components, (body, query, result, parts) => {
        const schemas = Object.fromEntries(parts.map((part, index) => [`#/components/schemas/${NAMES[index]}`, part]));
        const { connector } = buildOne(
          {
            method: 'POST',
            parameters: [parameter('q', { schema: query })],
            body: jsonBody(body),
            responses: [answer(result)],
          },
          { pagination: undefined },
          { schemas },
        );
        for (const tool of connector.tools) {
          expect(profileFaults(tool)).toEqual([]);
          compile(tool);
        }
        expect(ListToolsResultSchema.safeParse(listed(connector.tools)).success).toBe(true);
      }),
      { numRuns: 100 },
    );
  }, 120_000);

  it('is met by every tool of specs/', async () => {
    for (const name of await listServices(ROOT)) {
      const loaded = await loadService({ root: ROOT, service: name });
      const { model } = buildServiceModel({ name, file: loaded.descriptorFile, document: loaded.document });
      const { connector, problems } = buildConnectorModel(model, loaded.config, `specs/${name}/connector.yaml`);
      expect(problems).toEqual([]);
      for (const tool of connector.tools) {
        expect([tool.name, profileFaults(tool)]).toEqual([tool.name, []]);
        compile(tool);
      }
      expect(ListToolsResultSchema.safeParse(listed(connector.tools)).success).toBe(true);
    }
  });
});
