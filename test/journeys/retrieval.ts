/** Requests about documents. */

import { allItems, type Content, findBy, type Journey } from './journey.ts';

const TRAVEL = '42d8b1c5-7e39-4a2f-b6d4-09e1c3f58a64';
const document = (status = 'ready') => ({
  id: TRAVEL,
  status,
  name: 'Travel policy',
  created_at: '2026-03-10T09:00:00Z',
  updated_at: '2026-03-10T09:00:00Z',
  metadata: { document_name: 'Travel policy' },
  partition: 'default',
});
const partition = (limits: object) => ({
  name: 'acme-hr',
  is_default: false,
  description: null,
  context_aware: false,
  metadata_schema: null,
  limits,
});
const encoded = encodeURIComponent('{"document_name":"Travel policy"}');

export const retrievalJourneys: readonly Journey[] = [
  {
    request: "Open the document 'Travel policy'.",
    words: {
      retrieval_list_documents: [
        'To find one by its name, filter by document_name',
        '{"document_name":"Travel policy"}',
      ],
      retrieval_get_document_content: ['To read text set application/json'],
    },
    answers: {
      [`GET /documents?filter=${encoded}`]: {
        pagination: { next_cursor: null, total_count: 1 },
        documents: [document()],
      },
      [`GET /documents/${TRAVEL}/content?media_type=application%2Fjson`]: { ...document(), content: 'Fly economy.' },
    },
    steps: async (call) => {
      const { documents } = await call('retrieval_list_documents', { filter: { document_name: 'Travel policy' } });
      const { id: documentId } = findBy(documents as Content[], 'name', 'Travel policy');
      return (await call('retrieval_get_document_content', { documentId, mediaType: 'application/json' })).content;
    },
    outcome: 'Fly economy.',
  },
  {
    request: 'Connect our Google Drive.',
    words: {
      retrieval_create_oauth_redirect_url: [
        'show it to that person, who signs in there',
        "if you have none, ask the user for one, such as their company's website",
        'always give it',
      ],
    },
    answers: {
      'GET /connections/source-type': {
        connectors: [
          {
            source_type: 'google_drive',
            display_name: 'Google Drive',
            icon_url: 'https://a.example',
            docs_url: 'https://a.example',
          },
        ],
      },
      'POST /connections/oauth {"redirect_uri":"https://acme.example/","source_type":"google_drive"}': {
        url: 'https://connect.example/x',
      },
    },
    steps: async (call) => {
      const { connectors } = await call('retrieval_list_connection_source_types');
      const { source_type: sourceType } = findBy(connectors as Content[], 'display_name', 'Google Drive');
      const website = 'https://acme.example/';
      return call('retrieval_create_oauth_redirect_url', { redirectUri: website, sourceType, authenticatorId: '' });
    },
    outcome: { url: 'https://connect.example/x' },
  },
  {
    request: 'What does our travel policy say about trains?',
    words: { retrieval_retrieve: ['Use it to answer a question from the content', 'Returns scored_chunks'] },
    answers: {
      'POST /retrievals {"query":"travel policy on trains"}': {
        scored_chunks: [
          {
            id: 'x',
            index: 3,
            text: 'Trains in first class.',
            score: 0.9,
            document_id: TRAVEL,
            document_name: 'Travel policy',
          },
        ],
      },
    },
    steps: async (call) => {
      const { scored_chunks } = await call('retrieval_retrieve', { query: 'travel policy on trains', filter: null });
      return (scored_chunks as Content[]).map(({ text }) => text);
    },
    outcome: ['Trains in first class.'],
  },
  {
    request: 'Lift the limit of hosted pages of partition acme-hr, and leave the others.',
    words: {
      retrieval_set_partition_limits: ['clear removes those that it names, all others stay', 'A null removes nothing'],
    },
    answers: {
      'PUT /partitions/acme-hr/limits {"pages_hosted_limit_max":null}': partition({ pages_hosted_limit_max: null }),
    },
    steps: async (call) => {
      const args = { partitionId: 'acme-hr', pagesHostedLimitMonthly: null, clear: ['pagesHostedLimitMax'] };
      return (await call('retrieval_set_partition_limits', args)).limits;
    },
    outcome: { pages_hosted_limit_max: null },
  },
  {
    request: 'Take the mark "draft" off the travel policy.',
    words: { retrieval_patch_document_metadata: ['removes those given as null, leaves all others'] },
    answers: {
      [`GET /documents?filter=${encoded}`]: {
        pagination: { next_cursor: null, total_count: 1 },
        documents: [document()],
      },
      [`PATCH /documents/${TRAVEL}/metadata {"metadata":{"draft":null}}`]: { metadata: {} },
    },
    steps: async (call) => {
      const documents = await allItems(
        call,
        'retrieval_list_documents',
        { filter: '{"document_name":"Travel policy"}' },
        'documents',
      );
      const { id: documentId } = findBy(documents, 'name', 'Travel policy');
      return call('retrieval_patch_document_metadata', { documentId, metadata: { draft: null } });
    },
    outcome: { metadata: {} },
  },
  {
    request: 'Make a partition "legal" that writes context-aware descriptions.',
    words: {
      retrieval_create_partition: ['may ignore it here', 'says context_aware false, call retrieval_update_partition'],
    },
    answers: {
      'POST /partitions {"name":"legal","context_aware":true}': { ...partition({}), name: 'legal' },
      'PATCH /partitions/legal {"context_aware":true}': { ...partition({}), name: 'legal', context_aware: true },
    },
    steps: async (call) => {
      const made = await call('retrieval_create_partition', { name: 'legal', contextAware: true });
      if (made.context_aware === true) return true;
      const args = { partitionId: 'legal', contextAware: true, description: null };
      return (await call('retrieval_update_partition', args)).context_aware;
    },
    outcome: true,
  },
];
