import { AjvJsonSchemaValidator as V2Ajv } from '@modelcontextprotocol/client/validators/ajv';
import { CfWorkerJsonSchemaValidator as V2CfWorker } from '@modelcontextprotocol/client/validators/cf-worker';
import { AjvJsonSchemaValidator as V1Ajv } from '@modelcontextprotocol/sdk/validation/ajv';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { connectors } from '../../../../generated/index.ts';
import { isObject, type JsonObject } from '../../../../sandbox/json.ts';
import { createValidators } from '../../../../server/call/tools/validate.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { schemaArbitrary } from '../../../support/schema-arbitrary.ts';
import { answer, buildOne } from '../service.ts';

const NAMES = ['id', 'name', 'items', 'data', 'type', 'properties', 'a b', '$ref', 'null'];

const { schema: descriptorSchema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  object: fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 5 }),
  }),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Schema>(
      { type: 'string' },
      { type: 'string', enum: ['a', 'b'] },
      { type: 'integer', minimum: 1 },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'object' },
      { type: ['string', 'integer'] },
      {},
    ),
    tie('object'),
    tie('schema').map((items): Schema => ({ type: 'array', items })),
    tie('schema').map((additionalProperties): Schema => ({ type: 'object', additionalProperties })),
  ),
}));

type Damage = 'keep' | 'null' | 'remove' | 'add';

function damaged(value: unknown, next: () => Damage, isRoot = true): unknown {
  if (Array.isArray(value)) return value.map((item) => (next() === 'null' ? null : damaged(item, next, false)));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const kind = next();
    if (kind === 'remove') return [];
    return [[name, kind === 'null' ? null : damaged(member, next, false)]];
  });
  const added: [string, unknown][] = isRoot
    ? [['fresh', [null, { deep: null }]]]
    : next() === 'add'
      ? [['fresh', null]]
      : [];
  return Object.fromEntries([...members, ...added]);
}

function withDamage(values: Arbitrary<unknown>): Arbitrary<unknown> {
  const kinds = fc.infiniteStream(fc.constantFrom<Damage>('keep', 'keep', 'null', 'remove', 'add'));
  return fc.tuple(values, kinds).map(([value, stream]) => damaged(value, () => stream.next().value));
}

const gateway = createValidators();
const VALIDATORS: readonly [string, (schema: Schema) => (value: unknown) => boolean][] = [
  ['the v1 SDK', (schema) => (value) => new V1Ajv().getValidator(schema)(value).valid],
  ['the v2 SDK', (schema) => (value) => new V2Ajv().getValidator(schema)(value).valid],
  [
    'the v2 SDK where code generation is forbidden',
    (schema) => (value) => new V2CfWorker().getValidator(schema)(value).valid,
  ],
  ['the gateway', (schema) => (value) => gateway({ ...schema, type: 'object' }).accepts(value)],
];

describe.each(VALIDATORS)('%s', (_name, validator) => {
  it('accepts null, missing and new members of any answer that a descriptor describes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...NAMES), descriptorSchema, { maxKeys: 5 }).chain((properties) => {
          const schema = { type: 'object', properties };
          return fc.tuple(fc.constant(schema), withDamage(schemaArbitrary(schema as JsonObject)));
        }),
        ([schema, value]) => {
          const { outputSchema } = buildOne({ responses: [answer(schema)] }).tool;
          expect(validator(outputSchema)(value), JSON.stringify([outputSchema, value])).toBe(true);
        },
      ),
      { numRuns: numRuns(150) },
    );
  });

  it('accepts null, missing and new members in answers of every tool', () => {
    for (const { outputSchema, name } of connectors.flatMap(({ tools }) => tools)) {
      const accepts = validator(outputSchema);
      const values = withDamage(schemaArbitrary(outputSchema as unknown as JsonObject));
      for (const value of fc.sample(values, 5)) expect(accepts(value), `${name} ${JSON.stringify(value)}`).toBe(true);
      expect(accepts({}), name).toBe(true);
    }
  });
});
