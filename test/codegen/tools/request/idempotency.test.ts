import { describe, expect, it } from 'vitest';
import { buildOne, parameter } from '../service.ts';

const NAME = 'Idempotency-Key';
const header = (schema: object, name = NAME) => parameter(name, { in: 'header', schema: schema as never });
const post = (schema: object, name?: string) => ({ method: 'POST', parameters: [header(schema, name)] }) as const;

describe('the header of a repeated request', () => {
  it.each<[string, object, number | null | undefined]>([
    ['any text', { type: 'string' }, null],
    ['no type', {}, null],
    ['a UUID', { type: 'string', format: 'uuid' }, null],
    ['at most 36 characters', { type: 'string', maxLength: 36 }, null],
    ['at most 35 characters', { type: 'string', maxLength: 35 }, 32],
    ['at most 20 characters', { type: 'string', maxLength: 20 }, 20],
    ['40 to 64 characters', { type: 'string', minLength: 40, maxLength: 64 }, 64],
    ['hexadecimal digits', { type: 'string', pattern: '^[0-9a-f]+$' }, 32],
    ['64 hexadecimal digits', { type: 'string', pattern: '^[0-9a-f]{64}$' }, 64],
    ['at most 15 characters', { type: 'string', maxLength: 15 }, undefined],
    ['digits', { type: 'string', pattern: '^[0-9]+$' }, undefined],
    ['a number', { type: 'integer' }, undefined],
    ['one of two values', { type: 'string', enum: ['a', 'b'] }, undefined],
    ['a date', { type: 'string', format: 'date-time', maxLength: 30 }, undefined],
  ])('of %s is set by the gateway with a valid value, else by an argument', (_title, schema, digits) => {
    const { tool } = buildOne(post(schema));
    expect(tool.idempotency).toEqual(digits === undefined ? null : { header: NAME, digits });
    expect(tool.arguments.map(({ name }) => name)).toEqual(digits === undefined ? ['idempotencyKey'] : []);
  });

  it.each([
    ['idempotency-key', true],
    ['X-Idempotency-Key', true],
    ['Idempotency-Token', true],
    ['Idempotent-Key', true],
    ['Acme-Idempotency-Key', true],
    ['Idempotency', true],
    ['Idempotency-Mode', false],
    ['Request-Id', false],
  ])('is recognised by its name: %s, %s', (name, isOne) => {
    expect(buildOne(post({ type: 'string' }, name)).tool.idempotency !== null).toBe(isOne);
  });

  it('is set by connector.yaml, declared or not, in tools that write', () => {
    const input = { idempotencyHeader: 'request-id' };
    const declared = buildOne(post({ type: 'string' }, 'Request-Id'), input);
    expect(declared.tool.idempotency).toEqual({ header: 'Request-Id', digits: null });
    expect(buildOne({ method: 'PATCH' }, input).tool.idempotency).toEqual({ header: 'request-id', digits: null });
    expect(buildOne({ method: 'GET' }, input).tool.idempotency).toBeNull();
  });

  it.each([
    { idempotencyHeader: null },
    { defaults: { fixed: { [`header.${NAME}`]: 'a' } } },
    { defaults: { omit: [`header.${NAME}`] } },
  ])('is an ordinary header with %j', (input) => {
    expect(buildOne(post({ type: 'string' }), input).tool.idempotency).toBeNull();
  });

  it.each([
    [{ type: 'integer' }, NAME],
    [{ type: 'string' }, 'not a name'],
    [{ type: 'string' }, 'Authorization'],
    [{ type: 'string' }, 'content-type'],
    [{ type: 'string' }, 'Host'],
  ])('that connector.yaml names is an error where no value is valid: %j, %s', (schema, idempotencyHeader) => {
    expect(buildOne(post(schema), { idempotencyHeader }).codes).toContain('config-constraint');
  });
});
