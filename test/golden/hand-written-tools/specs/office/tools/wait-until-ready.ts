/** Waits for a document that was just uploaded. */

import { defineTool } from '../../../generated/office/define-tool.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

export const tool = defineTool({
  title: 'Wait until a document is ready',
  description:
    'Waits until a document is processed, about half a minute at most, and returns its status: ready, failed, or processing, which means to call again.',
  uses: ['office_get_document'],
  inputSchema: {
    type: 'object',
    properties: { documentId: { type: 'string', description: 'Document id.' } },
    required: ['documentId'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['processing', 'ready', 'failed'] },
      name: { type: 'string' },
    },
  },
  async run({ documentId }, { call, wait, remainingMs, remainingCalls }) {
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
      const { status, name } = await call('office_get_document', { documentId });
      const isLast = remainingCalls() === 0 || remainingMs() < 2 * pause;
      if (status !== 'processing' || isLast) return { status, name };
      await wait(pause);
    }
  },
});
