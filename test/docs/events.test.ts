import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { MODULES } from '../../server/modules/index.ts';

const REFERENCE = resolve(import.meta.dirname, '../../docs/reference');
const description = await readFile(resolve(REFERENCE, 'gateway-openapi.yaml'), 'utf8');
const { Event: schema } = parse(description).components.schemas;
const types = MODULES.flatMap(({ events }) => Object.keys(events?.toPartners ?? {}));
const page = await readFile(resolve(REFERENCE, 'events.md'), 'utf8');
/** `webhook.test` is only sent to try an endpoint, and is no event of the API. */
const examples = [...page.matchAll(/^```json\n(.+?)^```/gms)]
  .map(([, json = '']) => JSON.parse(json))
  .filter(({ type }) => type !== 'webhook.test');

test('the description of the HTTP API names every type of event, and no other', () => {
  expect(schema.properties.type.enum).toEqual(types);
});

test('the page of events has an example of each type', () => {
  expect(examples.map(({ type }) => type)).toEqual(types);
});

test.each(examples)('the example of $type is as the description of the HTTP API says', (event) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  validate(event);
  expect(validate.errors).toBeNull();
});
