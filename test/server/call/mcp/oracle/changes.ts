/** Faults of any member or header of a request. */

import fc from 'fast-check';
import { type Draft, EVERYDAY, type Json, OTHERS, toJson, toSent, write } from './messages.ts';
import type { Sent } from './pair.ts';

type Change = (draft: Draft) => Draft;

const NAMES_OF_MEMBERS = [
  ...[
    'jsonrpc',
    'id',
    'method',
    'params',
    'result',
    'error',
    '_meta',
    'name',
    'arguments',
    'cursor',
    'task',
    '__proto__',
  ],
  ...[
    'progressToken',
    'inputResponses',
    'requestState',
    'protocolVersion',
    'capabilities',
    'clientInfo',
    'constructor',
  ],
  ...['protocolVersion', 'clientCapabilities', 'clientInfo', 'logLevel', 'related-task', 'other'].map(
    (name) => `io.modelcontextprotocol/${name}`,
  ),
];
const VERSIONS = [
  ...['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07', '2025-01-01', '2099-01-01'],
  ...['', 'x', '2026-07-28, 2026-07-28', ' 2026-07-28', '2026-07-28\t'],
];
const ODD_TEXTS = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1.0',
    '1.5',
    '1e3',
    '1e999',
    '-1e999',
    '9007199254740993',
    '1e21',
    '""',
    '"x"',
    '"\\u0000"',
  ],
  ...[
    '{}',
    '[]',
    '[[]]',
    '{"a":1}',
    '{"url":{}}',
    '{"__proto__":{"a":1}}',
    '"\\ud800"',
    '"2025-11-25"',
    '"tools/list"',
  ],
  ...VERSIONS.map((version) => JSON.stringify(version)),
];

const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS).map((text): Json => ({ kind: 'text', text })),
  fc.jsonValue({ maxDepth: 2 }).map(toJson),
);
const memberName = fc.oneof(fc.constantFrom(...NAMES_OF_MEMBERS), fc.string({ maxLength: 4 }));

/** Changes the member that `place` points at, of all the members in the text. */
function changeMember(
  json: Json,
  place: number,
  change: (name: string, member: Json) => (readonly [string, Json])[],
): Json {
  let left = place % Math.max(1, countMembers(json));
  const walk = (node: Json): Json => {
    if (node.kind === 'array') return { ...node, items: node.items.map(walk) };
    if (node.kind === 'text') return node;
    const members = node.members.flatMap(([name, member]) => {
      left -= 1;
      return left === -1 ? change(name, member) : [[name, walk(member)] as const];
    });
    return { ...node, members };
  };
  return walk(json);
}

function countMembers(json: Json): number {
  if (json.kind === 'array') return json.items.reduce((sum, item) => sum + countMembers(item), 0);
  if (json.kind === 'text') return 0;
  return json.members.reduce((sum, [, member]) => sum + 1 + countMembers(member), 0);
}

const bodyChange: fc.Arbitrary<Change> = fc
  .record({
    place: fc.nat(60),
    name: memberName,
    value: oddValue,
    kind: fc.constantFrom('drop', 'set', 'add', 'twice', 'rename'),
  })
  .map(({ place, name, value, kind }): Change => {
    return ({ headers, body }) => ({
      headers,
      body: changeMember(body, place, (old, member) => {
        switch (kind) {
          case 'drop':
            return [];
          case 'set':
            return [[old, value]];
          case 'add':
            return [
              [old, member],
              [name, value],
            ];
          case 'twice':
            return [
              [old, value],
              [old, member],
            ];
          default:
            return [[name, member]];
        }
      }),
    });
  });

const wholeChange: fc.Arbitrary<Change> = fc
  .constantFrom<(body: Json) => Json>(
    (body) => ({ kind: 'array', items: [body] }),
    (body) => ({ kind: 'array', items: [body, body] }),
    () => ({ kind: 'array', items: [] }),
    (body) => (body.kind === 'object' ? { ...body, members: body.members.toReversed() } : body),
    (body) => ({ kind: 'text', text: `\uFEFF ${write(body)}\n` }),
    (body) => ({ kind: 'text', text: write(body).slice(0, -1) }),
    (body) => ({ kind: 'text', text: `${write(body)}x` }),
  )
  .map((change) => ({ headers, body }) => ({ headers, body: change(body) }));

const HEADER_NAMES = [
  ...['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'accept-encoding'],
];
const HEADER_VALUES = [
  ...['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'],
  ...['application/json; a,b', 'application/json;', 'text/plain', 'application/x-www-form-urlencoded', '*/*', ''],
  ...['text/event-stream', 'tools/list', 'tools/call', 'Tools/Call', 'ping', 'library_echo', 'library_asks', 'other'],
  ...['=?base64?bGlicmFyeV9lY2hv?=', '=?base64?bGlic?=', '  library_echo  ', 'notifications/cancelled'],
];

const headerChange: fc.Arbitrary<Change> = fc
  .record({
    place: fc.nat(8),
    name: fc.constantFrom(...HEADER_NAMES),
    value: fc.constantFrom(...HEADER_VALUES, ...VERSIONS),
    kind: fc.constantFrom('drop', 'set', 'add', 'twice'),
  })
  .map(({ place, name, value, kind }): Change => {
    return ({ headers, body }) => {
      const at = place % Math.max(1, headers.length);
      const changed = headers.flatMap((header, index) => {
        if (index !== at) return [header];
        switch (kind) {
          case 'drop':
            return [];
          case 'set':
            return [[header[0], value] as const];
          case 'add':
            return [header, [name, value] as const];
          default:
            return [header, header];
        }
      });
      return { headers: changed, body };
    };
  });

const PLAIN_VALUES = ['null', '0', '"x"', '{}', '[]'];

/** Every draft with one member or header missing, repeated, or with another value. */
export function everyChangeOf(draft: Draft): Sent[] {
  const { headers, body } = draft;
  const members = Array.from({ length: countMembers(body) }, (_, place) => [
    changeMember(body, place, () => []),
    changeMember(body, place, (name, member) => [
      [name, member],
      [name, member],
    ]),
    ...PLAIN_VALUES.map((text) => changeMember(body, place, (name) => [[name, { kind: 'text', text }]])),
  ]).flat();
  const others = headers.flatMap(([name, value], index) => [
    headers.toSpliced(index, 1),
    headers.toSpliced(index, 0, [name, value]),
    ...['', 'x', 'text/plain', ...VERSIONS].map((other) => headers.with(index, [name, other] as const)),
  ]);
  return [
    ...members.map((changed) => toSent({ headers, body: changed })),
    ...others.map((changed) => toSent({ headers: changed, body })),
  ];
}

/** A request with no, one or several faults or oddities. */
export const anyRequest: fc.Arbitrary<Sent> = fc
  .record({
    draft: fc.constantFrom(...EVERYDAY, ...OTHERS),
    changes: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: bodyChange },
        { weight: 3, arbitrary: headerChange },
        { weight: 1, arbitrary: wholeChange },
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ draft, changes }) => toSent(changes.reduce((changed, change) => change(changed), draft)));
