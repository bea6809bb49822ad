import { expect, test } from 'vitest';
import { type FileHandles, HANDLE_PREFIX, openHandles } from '../../../../../server/call/tools/files/handles.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { createPrincipal } from '../support.ts';

const base64 = { type: 'string', contentEncoding: 'base64' };
const tool = fakeTool({
  name: 'library_send',
  input: {
    properties: { data: base64, handle: { type: 'string' }, more: { type: 'object', properties: { data: base64 } } },
  },
});
const files = {
  ttlMs: 1,
  maxBytes: 100,
  read: async () => ({ data: 'aGk=', mediaType: 'text/plain', name: null }),
} as unknown as FileHandles;

test('an argument is no file because another one is the content of a file', async () => {
  const handle = `${HANDLE_PREFIX}1`;
  const opened = await openHandles(tool, { handle, more: { handle } }, { owner: createPrincipal(), files });
  expect(opened).toEqual({ ok: true, args: { handle, more: { data: 'aGk=' } }, handles: [handle] });
});
