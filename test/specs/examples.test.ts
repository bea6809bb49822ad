import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { escapeToken } from '../../codegen/json-pointer.ts';
import { listServices, loadService } from '../../codegen/load/index.ts';

const root = join(import.meta.dirname, '../..');
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
const services = await Promise.all((await listServices(root)).map((service) => loadService({ root, service })));

type Node = Record<string, unknown>;
interface Example {
  readonly pointer: string;
  readonly value: unknown;
}

describe.each(services.map((loaded) => [loaded.service, loaded] as const))('%s', (_, { document, problems }) => {
  const examples = collect(document, '');
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(document as Node, 'descriptor');

  it('loads without a problem', () => {
    expect(problems).toEqual([]);
  });

  it('has examples that fit their schemas', () => {
    const wrong = examples.flatMap(({ pointer, value }) => {
      const validate = ajv.compile({ $ref: `descriptor#${encodeURI(pointer)}/schema` });
      return validate(value) ? [] : [{ pointer, errors: validate.errors }];
    });
    expect(wrong).toEqual([]);
  });

  it('has an example of every JSON body', () => {
    const bare = jsonBodies(document, '').filter((pointer) => !examples.some((example) => example.pointer === pointer));
    expect(bare).toEqual([]);
  });
});

function collect(node: unknown, pointer: string): Example[] {
  if (!isNode(node)) return [];
  const named = isNode(node.examples) ? Object.values(node.examples) : [];
  const values = [
    ...('example' in node ? [node.example] : []),
    ...named.flatMap((example) => (isNode(example) && 'value' in example ? [example.value] : [])),
  ];
  const here = isNode(node.schema) ? values.map((value) => ({ pointer, value })) : [];
  return [...here, ...children(node).flatMap(([key, child]) => collect(child, `${pointer}/${escapeToken(key)}`))];
}

function jsonBodies(node: unknown, pointer: string): string[] {
  if (!isNode(node)) return [];
  return children(node).flatMap(([key, child]) => [
    ...(key === 'application/json' ? [`${pointer}/${escapeToken(key)}`] : []),
    ...jsonBodies(child, `${pointer}/${escapeToken(key)}`),
  ]);
}

function children(node: Node): [string, unknown][] {
  return Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
