import { describe, expect, it } from 'vitest';
import { compileRequest } from '../../../../server/call/upstream/serialize.ts';
import { buildOne, jsonBody } from '../service.ts';

const NOTE = {
  type: 'object',
  required: ['type', 'title'],
  properties: {
    type: { type: 'string', enum: ['note'] },
    title: { type: 'string' },
    id: { type: 'string', readOnly: true },
    folder: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } },
    parts: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } },
  },
};
const BODY = { type: 'object', required: ['note'], properties: { note: NOTE, mail: { type: 'boolean' } } };

function create(tool: Record<string, unknown>, body: object = BODY, mediaType = 'application/json') {
  const config = { tools: { shop_create: { operation: 'create', ...tool } } };
  const over = { id: 'create', method: 'POST', body: jsonBody(body as never, { mediaType }) } as const;
  return buildOne(over, config);
}

const wires = (tool: Record<string, string>) => ({
  arguments: Object.fromEntries(Object.entries(tool).map(([name, wire]) => [name, { wire }])),
});

describe('members of an object in a body', () => {
  it('are separate arguments, next to those that the object requires', () => {
    const { tool, problems } = create(wires({ folder: 'body.note.folder.id' }));
    expect(problems.filter(({ code }) => code.startsWith('config'))).toEqual([]);
    expect(tool.arguments.map(({ name, required, wire }) => [name, required, wire?.name])).toEqual([
      ['noteType', true, 'note.type'],
      ['noteTitle', true, 'note.title'],
      ['folder', false, 'note.folder.id'],
      ['mail', false, 'mail'],
    ]);
  });

  it('are required where every object on the way is', () => {
    const optional = { ...BODY, required: [] };
    const { tool } = create(wires({ title: 'body.note.title' }), optional);
    expect(tool.inputSchema.required).toEqual([]);
  });

  it('are fixed where connector.yaml gives a value', () => {
    const { tool } = create({ ...wires({ title: 'body.note.title' }), fixed: { 'body.note.type': 'note' } });
    expect(tool.arguments.map(({ name }) => name)).toEqual(['title', 'mail']);
    expect(tool.call.body).toMatchObject({
      members: [
        {
          wireName: 'note',
          value: {
            kind: 'members',
            members: [
              { wireName: 'type', value: { kind: 'constant', value: 'note' } },
              { wireName: 'title', value: { kind: 'argument', name: 'title' } },
            ],
          },
        },
        { wireName: 'mail', value: { kind: 'argument', name: 'mail' } },
      ],
    });
  });

  it.each([
    ['body.note.titel', 'has no body.note.titel.', 'Did you mean body.note.title?'],
    ['body.note.folder.nam', 'has no body.note.folder.nam.', 'Did you mean body.note.folder.name?'],
    ['body.note.id', 'has no body.note.id.', undefined],
    ['body.note.parts.text', 'has an array at body.note.parts: arrays are not taken apart.', undefined],
    ['body.nota.title', 'has no body.nota.title.', undefined],
  ])('are reported as missing: %s', (wire, message, fix) => {
    const { problems } = create(wires({ it: wire }));
    const [problem, ...others] = problems.filter(
      ({ severity = 'error', code }: { severity?: string; code: string }) =>
        severity === 'error' && code.startsWith('config'),
    );
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'config-wire-unknown', pointer: '/tools/shop_create/arguments/it/wire' });
    expect(problem?.message).toContain(message);
    if (fix !== undefined) expect(problem?.fix).toBe(fix);
  });

  it('are not sent as a whole object in addition', () => {
    const { problems } = create(wires({ folder: 'body.note.folder', id: 'body.note.folder.id' }));
    expect(problems.map(({ message }) => message).join()).toContain('sends body.note.folder whole as well.');
  });

  it('stay together in a form', () => {
    const { problems } = create(wires({ title: 'body.note.title' }), BODY, 'multipart/form-data');
    expect(problems.map(({ message }) => message).join()).toContain('in a form, which is not taken apart.');
  });
});

describe('a request with members of objects', () => {
  const request = {
    body: {
      mediaType: 'application/json',
      members: {
        note: { members: { type: { constant: 'note' }, title: 'title', folder: { members: { id: 'folderId' } } } },
        author: { members: { id: 'authorId', role: { argument: 'role', default: 'reader' } } },
        mail: 'mail',
      },
    },
  } as const;
  const operation = { id: 'create', method: 'POST', path: '/notes', server: '' } as const;
  const write = compileRequest({ operation, request });

  it('leaves out empty objects', () => {
    expect(JSON.parse(String(write({ title: 'T' }).body))).toEqual({
      note: { type: 'note', title: 'T' },
      author: { role: 'reader' },
    });
    expect(JSON.parse(String(write({ folderId: 'f', mail: false }).body))).toMatchObject({
      note: { type: 'note', folder: { id: 'f' } },
      mail: false,
    });
  });
});
