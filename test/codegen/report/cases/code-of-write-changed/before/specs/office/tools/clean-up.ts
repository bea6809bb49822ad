/** Deletes a document whose processing failed. */

import { defineTool } from '../../../generated/office/define-tool.ts';

export const tool = defineTool({
  title: 'Delete a failed document',
  description: 'Deletes a document, where its processing failed.',
  uses: ['office_delete_document', 'office_get_document'],
  inputSchema: {
    type: 'object',
    properties: { documentId: { type: 'string', description: 'Document id.' } },
    required: ['documentId'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { isDeleted: { type: 'boolean' } } },
  async run({ documentId }, { call }) {
    const { status } = await call('office_get_document', { documentId });
    if (status !== 'failed') return { isDeleted: false };
    await call('office_delete_document', { documentId });
    return { isDeleted: true };
  },
});
