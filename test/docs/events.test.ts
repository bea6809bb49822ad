import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exampleOf, partnerEventsOf } from '../../scripts/docs/events.ts';
import { MODULES } from '../../server/modules/index.ts';

const text = await readFile(resolve(import.meta.dirname, '../../docs/reference/gateway-openapi.yaml'), 'utf8');
const { Event: schema } = parse(text).components.schemas;
const events = partnerEventsOf(MODULES);

test('the description of the HTTP API names every type of event, and no other', () => {
  expect(schema.properties.type.enum).toEqual(events.map(([type]) => type));
});

test.each(events)('the example of %s is as the description of the HTTP API says', (type, event) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  validate(exampleOf(type, event));
  expect(validate.errors).toBeNull();
});
