import { describe, expect, it } from 'vitest';
import type { EncodingModel, MediaTypeModel, Schema } from '../../../../codegen/model/types.ts';
import type { CallModel } from '../../../../codegen/tools/call-model.ts';
import { buildOne, jsonBody, type ServiceOptions } from '../service.ts';

const text = { type: 'string', description: 'Text.' };
const binary = { type: 'string', format: 'binary', description: 'Bytes.' };
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

function content(mediaType: string, schema: Schema | null, encoding = {}): MediaTypeModel {
  return { mediaType, schema, encoding, pointer: `/${mediaType}` };
}

function build(contents: readonly MediaTypeModel[], input = {}, options: ServiceOptions = {}) {
  return buildOne({ id: 'create', method: 'POST', body: jsonBody({}, { contents }) }, input, options);
}

function encoding(over: Partial<EncodingModel>): EncodingModel {
  return { contentTypes: [], style: null, headers: [], ...over };
}

function objectOf(properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

function formOf(body: CallModel['body']): unknown {
  return body.kind === 'none' ? null : body.form;
}

describe('of several content types', () => {
  const schema = objectOf({ a: text });
  const upload = objectOf({ a: binary });
  it.each<[string, readonly MediaTypeModel[], string]>([
    ['JSON', [content(MULTIPART, upload), content('application/json', schema)], 'application/json'],
    ['a +json type', [content(FORM, schema), content('application/vnd.a+json', schema)], 'application/vnd.a+json'],
    ['a multipart form with a file', [content(FORM, schema), content(MULTIPART, upload)], MULTIPART],
    ['a form before a multipart form without a file', [content(MULTIPART, schema), content(FORM, schema)], FORM],
    ['a multipart form before text', [content('text/csv', text), content(MULTIPART, schema)], MULTIPART],
    ['text before bytes', [content('application/zip', binary), content('text/csv', text)], 'text/csv'],
    [
      'a type that the gateway can write',
      [content('multipart/mixed', schema), content('image/png', binary)],
      'image/png',
    ],
  ])('%s is sent', (_title, contents, want) => {
    const { tool, problems } = build(contents);
    expect(tool.call.body).toMatchObject({ mediaType: want });
    expect(problems.filter(({ code }) => code === 'operation-refused')).toEqual([]);
  });

  it('the others are reported only where their schema differs', () => {
    expect(build([content(FORM, schema), content(MULTIPART, schema)]).codes).toEqual([]);
    expect(build([content(FORM, schema), content(MULTIPART, upload)]).codes).toEqual(['body-ambiguous']);
  });
});

describe('the form of a body', () => {
  it.each<[string, string, Schema | null, string]>([
    ['text/plain', 'text/plain', text, 'text'],
    ['an XML type', 'application/atom+xml', objectOf({ a: text }), 'text'],
    ['YAML', 'application/yaml', null, 'text'],
    ['NDJSON', 'application/x-ndjson', null, 'text'],
    ['CSV', 'text/csv; charset=UTF-8', null, 'text'],
    ['text in another charset', 'text/csv; charset=ISO-8859-1', null, 'bytes'],
    ['base64 text', 'image/png', { type: 'string', contentEncoding: 'base64' }, 'text'],
    ['bytes', 'application/octet-stream', null, 'bytes'],
    ['an unknown type', 'application/x-thing', text, 'bytes'],
    ['a range', 'image/*', null, 'file'],
    ['any type', '*/*', binary, 'file'],
    ['a range of text', 'text/*', text, 'text'],
  ])('of %s', (_title, mediaType, schema, want) => {
    const { tool } = build([content(mediaType, schema)]);
    expect(formOf(tool.call.body)).toMatchObject({ kind: want });
    expect(tool.arguments.map(({ name, wire }) => [name, wire])).toEqual([
      ['body', { in: 'body', mediaType, name: null }],
    ]);
  });

  it('of any type with an object is JSON', () => {
    const { tool } = build([content('*/*', objectOf({ a: text }))]);
    expect(tool.call.body).toMatchObject({ kind: 'members', mediaType: '*/*' });
    expect(formOf(tool.call.body)).toBeUndefined();
  });
});

describe('a form body', () => {
  it('keeps the declared styles of the members that are sent', () => {
    const style = { style: 'deepObject', explode: true, allowReserved: false };
    const schema = objectOf({ a: { type: 'array', items: text }, b: text, c: text });
    const encodings = { a: encoding({ style }), c: encoding({ style }), other: encoding({ style }) };
    const { tool } = build([content(FORM, schema, encodings)], {
      tools: { shop_create: { operation: 'create', omit: ['body.c'] } },
    });
    expect(tool.call.body).toMatchObject({ kind: 'members', form: { kind: 'form', styles: { a: style } } });
    expect(formOf(tool.call.body)).toEqual({ kind: 'form', styles: { a: style } });
  });

  it('does not accept null, which it cannot express', () => {
    const { tool } = build([content(FORM, objectOf({ a: { type: ['string', 'null'], description: 'A.' } }))]);
    expect(tool.inputSchema.properties).toEqual({ a: { type: 'string', description: 'A.' } });
  });

  it('with any members is one object', () => {
    const { tool } = build([content(FORM, { type: 'object', additionalProperties: text })]);
    expect(tool.call.body).toMatchObject({ kind: 'whole', form: { kind: 'form', styles: {} } });
    expect(tool.inputSchema.properties).toMatchObject({ body: { type: 'object' } });
  });

  it('without a schema is one object', () => {
    const { tool } = build([content(FORM, null)]);
    expect(tool.inputSchema.properties).toMatchObject({ body: { type: 'object' } });
  });

  it.each<[string, string, Schema, Partial<EncodingModel>, string]>([
    [
      'an unknown style',
      FORM,
      text,
      { style: { style: 'simple', explode: false, allowReserved: false } },
      'the style simple of the form field a',
    ],
    [
      'an object that is not JSON',
      FORM,
      { type: 'object' },
      { contentTypes: ['application/xml'] },
      'the form field a as application/xml',
    ],
    [
      'an object that is not JSON',
      MULTIPART,
      { type: 'object' },
      { contentTypes: ['application/xml'] },
      'the part a as application/xml',
    ],
    [
      'a header of a part',
      MULTIPART,
      text,
      { headers: [{ name: 'X-A', required: true }] },
      'the header X-A of the part a',
    ],
  ])(
    'with %s (%s) is rejected where that is required, and left out where it is optional',
    (_title, mediaType, schema, how, want) => {
      const encodings = { a: encoding(how) };
      const refused = build([content(mediaType, objectOf({ a: schema, b: text }, { required: ['a'] }), encodings)]);
      expect(refused.connector.notExposed.map(({ reason }) => reason)).toEqual([
        `Not supported yet: it needs ${want}.`,
      ]);
      const { tool, problems } = build([content(mediaType, objectOf({ a: schema, b: text }), encodings)]);
      expect(tool.arguments.map(({ name }) => name)).toEqual(['b']);
      expect(problems.map(({ message }) => message)).toContainEqual(`The tool for POST /things leaves out ${want}.`);
    },
  );
});

describe('a multipart body', () => {
  it.each<[string, Schema, readonly string[], { readonly accepted: readonly string[]; readonly many: boolean } | null]>(
    [
      ['format: binary', binary, [], { accepted: [], many: false }],
      [
        'format: binary with a declared type',
        binary,
        ['image/png', 'image/*'],
        { accepted: ['image/png', 'image/*'], many: false },
      ],
      ['format: binary with a text type', binary, ['text/csv'], { accepted: ['text/csv'], many: false }],
      ['a string with a type that is not text', text, ['image/png'], { accepted: ['image/png'], many: false }],
      [
        'a string of any bytes',
        { ...text, contentMediaType: 'application/octet-stream' },
        [],
        { accepted: [], many: false },
      ],
      [
        'a string with a media type',
        { ...text, contentMediaType: 'image/png' },
        [],
        { accepted: ['image/png'], many: false },
      ],
      ['an empty schema', { description: 'Any.' }, [], { accepted: [], many: false }],
      ['bytes or null', { anyOf: [binary, { type: 'null' }] }, [], { accepted: [], many: false }],
      ['an array of bytes', { type: 'array', items: binary }, ['image/png'], { accepted: ['image/png'], many: true }],
      ['one file or several', { anyOf: [binary, { type: 'array', items: binary }] }, [], { accepted: [], many: true }],
      ['text', text, [], null],
      ['text with a text type', text, ['text/csv'], null],
      ['JSON text', { ...text, contentMediaType: 'application/json' }, [], null],
      ['base64 text', { ...text, contentEncoding: 'base64', contentMediaType: 'image/png' }, [], null],
      ['bytes as base64 text', { ...text, format: 'byte' }, ['image/png'], null],
      ['an enumeration', { ...text, enum: ['a'] }, ['image/png'], null],
      ['a number', { type: 'integer' }, [], null],
      ['an object', { type: 'object' }, [], null],
    ],
  )('has a file argument for %s, or not', (_title, schema, contentTypes, want) => {
    const { tool } = build([content(MULTIPART, objectOf({ a: schema }), { a: encoding({ contentTypes }) })]);
    expect(formOf(tool.call.body)).toMatchObject({ files: want === null ? {} : { a: want } });
    const [argument] = tool.arguments;
    const file = want?.many ? (argument?.schema.items as Schema) : argument?.schema;
    expect(file?.required).toEqual(want === null ? undefined : ['data']);
  });

  it('has no file where OpenAPI 3.0 gives no schema', () => {
    const { tool } = build([content(MULTIPART, objectOf({ a: { description: 'Any.' } }))], {}, { openapi: '3.0' });
    expect(formOf(tool.call.body)).toEqual({ kind: 'multipart', encodings: {}, files: {} });
  });

  it('asks for a media type where the descriptor only has a range', () => {
    const { tool } = build([
      content(MULTIPART, objectOf({ a: binary }), { a: encoding({ contentTypes: ['image/*'] }) }),
    ]);
    expect(tool.inputSchema.properties).toMatchObject({ a: { required: ['data', 'mimeType'] } });
  });

  it('keeps the description of a file', () => {
    const { tool } = build([content(MULTIPART, objectOf({ a: binary }))]);
    expect(tool.arguments[0]?.schema).toEqual({
      type: 'object',
      description: 'Bytes. A file, its content in base64.',
      properties: {
        data: { type: 'string', description: 'Content of the file in base64.', contentEncoding: 'base64' },
        name: { type: 'string', description: 'Name of the file.', examples: ['report.pdf'] },
        mimeType: {
          type: 'string',
          description: 'Media type of the content. Default: application/octet-stream.',
          examples: ['image/png'],
        },
      },
      required: ['data'],
      additionalProperties: false,
    });
  });

  it('keeps the limits on the number of files', () => {
    const { tool } = build([
      content(MULTIPART, objectOf({ a: { type: 'array', items: binary, minItems: 1, maxItems: 3 } })),
    ]);
    expect(tool.arguments[0]?.schema).toMatchObject({ type: 'array', minItems: 1, maxItems: 3 });
  });

  it('that is one argument may contain files', () => {
    const forms = [objectOf({ a: binary }, { required: ['a'] }), objectOf({ b: text }, { required: ['b'] })];
    const { tool } = build([content(MULTIPART, { oneOf: forms })]);
    expect(tool.call.body).toMatchObject({ kind: 'whole', form: { files: { a: { accepted: [], many: false } } } });
  });

  it('that is not an object is rejected', () => {
    const { connector } = build([content(MULTIPART, { type: 'array', items: text })]);
    expect(connector.notExposed).toMatchObject([
      { reason: 'Not supported yet: it needs multipart/form-data of what is no object.' },
    ]);
  });

  it('does not let connector.yaml change the schema of a file', () => {
    const input = {
      tools: { shop_create: { operation: 'create', arguments: { a: { type: 'string', description: 'A.' } } } },
    };
    const { problems } = build([content(MULTIPART, objectOf({ a: binary }))], input);
    expect(problems.map(({ code, pointer }) => [code, pointer])).toContainEqual([
      'config-constraint',
      '/tools/shop_create/arguments/a/type',
    ]);
  });

  it('may have a file that connector.yaml fixes or splits into several arguments', () => {
    const schema = objectOf({ a: binary, b: binary });
    const data = { wire: 'body.b[data]', description: 'Base64.' };
    const input = {
      tools: { shop_create: { operation: 'create', fixed: { 'body.a': { data: '' } }, arguments: { data } } },
    };
    const { tool, problems } = build([content(MULTIPART, schema)], input);
    expect(problems.filter(({ code }) => code.startsWith('config'))).toEqual([]);
    expect(tool.call.body).toMatchObject({
      members: [
        { wireName: 'a', value: { kind: 'constant', value: { data: '' } } },
        { wireName: 'b', value: { kind: 'entries' } },
      ],
    });
  });
});
