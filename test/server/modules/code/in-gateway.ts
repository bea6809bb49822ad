/** Programs of a client through a gateway, and what they leave in its store. */

import { expect } from 'vitest';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import type { Answer, UserPageUnderTest } from '../me/support.ts';

export const PROGRAM_SETTINGS = {
  APPROVALS: 'destroy',
  APPROVAL_CHANNELS: 'page,partner',
  CODE_CALLS_PER_MINUTE: '200',
};

export const permission = (changes: object) =>
  writePermission({ ...readPermission(null), catalogue: 'code', ...changes } as ReturnType<typeof readPermission>);

export const textsOf = ({ body }: Answer): string[] => body.result.content.map(({ text }: { text: string }) => text);
export const codeOf = (answer: Answer): string => JSON.parse(textsOf(answer)[1]!).code;
export const resultOf = (answer: Answer): unknown => {
  expect([answer.body.result.isError, ...textsOf(answer)]).toEqual([undefined, ...textsOf(answer)]);
  return JSON.parse(textsOf(answer)[0]!);
};
export const handleOf = (answer: Answer): string => /kept_[\w-]{22}/.exec(textsOf(answer).join('\n'))?.[0] ?? 'none';

/** A program whose result is too large for an answer. */
export const KEEP = `return { books: Array.from({ length: 2000 }, (_, id) => ({
  id, name: 'Book ' + id, price: (id * 7919) % 2000, shelf: { row: id % 3 }
})) }`;

/** What clients of a gateway do. */
export function stepsOf(given: UserPageUnderTest) {
  return {
    /** Allows a client that may run programs. @returns its token. */
    allow: async (changes: object = {}, grant: object = {}) =>
      (await given.allow('Cursor', { permission: permission(changes), ...grant })).token,
    run: (token: string, code: string) => given.call(token, 'run_code', { code }),
    select: (token: string, args: object) => given.call(token, 'read_kept', args),
  };
}
