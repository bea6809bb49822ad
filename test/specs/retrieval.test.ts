import { describe, expect, it } from 'vitest';
import { type ArgumentTable, accepts, checkArgumentTable, findTool, loadGenerated } from './argument-table.ts';

const LIMITS = [
  'mediaHostedLimitMax',
  'mediaHostedLimitMonthly',
  'pagesHostedLimitMax',
  'pagesHostedLimitMonthly',
  'mediaStreamedLimitMax',
  'mediaStreamedLimitMonthly',
  'audioProcessedLimitMax',
  'audioProcessedLimitMonthly',
  'pagesProcessedLimitMax',
  'pagesProcessedLimitMonthly',
  'videoProcessedLimitMax',
  'videoProcessedLimitMonthly',
];

const TABLE: ArgumentTable = {
  retrieval_retrieve: ['query!', 'topK', 'filter', 'rerank', 'partition', 'recencyBias', 'maxChunksPerDocument'],
  retrieval_list_documents: ['cursor', 'filter', 'pageSize', 'partition'],
  retrieval_get_document: ['documentId!', 'partition'],
  retrieval_create_document_raw: ['data!', 'name', 'metadata', 'partition', 'externalId'],
  retrieval_create_document_from_url: ['url!', 'mode', 'name', 'metadata', 'partition', 'externalId'],
  retrieval_patch_document_metadata: ['documentId!', 'metadata!', 'partition', 'async'],
  retrieval_get_document_content: ['documentId!', 'range', 'download', 'partition', 'mediaType'],
  retrieval_get_document_summary: ['documentId!', 'partition'],
  retrieval_get_document_chunks: ['documentId!', 'cursor', 'pageSize', 'partition', 'startIndex', 'endIndex'],
  retrieval_delete_document: ['documentId!', 'async', 'partition'],
  retrieval_list_partitions: ['cursor', 'pageSize'],
  retrieval_get_partition: ['partitionId!'],
  retrieval_create_partition: ['name!', 'description', 'contextAware', 'metadataSchema', ...LIMITS],
  retrieval_update_partition: ['partitionId!', 'description', 'contextAware', 'metadataSchema', 'clear'],
  retrieval_set_partition_limits: ['partitionId!', ...LIMITS, 'clear'],
  retrieval_delete_partition: ['partitionId!', 'asyncDeletion'],
  retrieval_list_connection_source_types: [],
  retrieval_list_connections: ['cursor', 'filter', 'pageSize', 'partition'],
  retrieval_create_oauth_redirect_url: [
    'redirectUri!',
    'sourceType',
    'theme',
    'config',
    'metadata',
    'partition',
    'pageLimit',
    'mode',
    'authenticatorId',
  ],
};

const EFFECTS: Readonly<Record<string, string>> = {
  retrieval_retrieve: 'reads',
  retrieval_list_documents: 'reads',
  retrieval_get_document: 'reads',
  retrieval_create_document_raw: 'adds',
  retrieval_create_document_from_url: 'adds',
  retrieval_patch_document_metadata: 'overwrites, safe to repeat',
  retrieval_get_document_content: 'reads',
  retrieval_get_document_summary: 'reads',
  retrieval_get_document_chunks: 'reads',
  retrieval_delete_document: 'overwrites, safe to repeat',
  retrieval_list_partitions: 'reads',
  retrieval_get_partition: 'reads',
  retrieval_create_partition: 'adds',
  retrieval_update_partition: 'overwrites, safe to repeat',
  retrieval_set_partition_limits: 'overwrites, safe to repeat',
  retrieval_delete_partition: 'overwrites, safe to repeat',
  retrieval_list_connection_source_types: 'reads',
  retrieval_list_connections: 'reads',
  retrieval_create_oauth_redirect_url: 'adds',
};

const retrieval = await loadGenerated('retrieval');

describe('retrieval tools', () => {
  checkArgumentTable(retrieval, TABLE);

  it.each(Object.entries(EFFECTS))('%s %s', (name, want) => {
    const { readOnlyHint, destructiveHint, idempotentHint } = findTool(retrieval, name).annotations;
    const effect = readOnlyHint ? 'reads' : destructiveHint ? 'overwrites' : 'adds';
    expect(effect === 'overwrites' && idempotentHint ? 'overwrites, safe to repeat' : effect).toBe(want);
  });
});

describe('retrieval arguments', () => {
  it.each<[string, string, Record<string, unknown>, boolean]>([
    ['a page size of 100', 'retrieval_list_documents', { pageSize: 100 }, true],
    ['a page size of 0', 'retrieval_list_documents', { pageSize: 0 }, false],
    ['a page size of 101', 'retrieval_list_connections', { pageSize: 101 }, false],
    ['a partition in lower case', 'retrieval_get_document', { documentId: 'a', partition: 'acme-hr_2' }, true],
    ['a partition in upper case', 'retrieval_get_document', { documentId: 'a', partition: 'Acme' }, false],
    ['a partition name with a space', 'retrieval_create_partition', { name: 'acme hr' }, false],
    ['a filter that is JSON text', 'retrieval_list_documents', { filter: '{}' }, true],
    ['a filter that is an object, in a list', 'retrieval_list_documents', { filter: {} }, false],
    ['a filter that is an object, in a search', 'retrieval_retrieve', { query: 'a', filter: { a: { $eq: 1 } } }, true],
    ['data that is text', 'retrieval_create_document_raw', { data: 'a' }, true],
    ['data that is an object', 'retrieval_create_document_raw', { data: { a: [1] } }, true],
    ['data that is a list', 'retrieval_create_document_raw', { data: ['a'] }, false],
    ['metadata with a list of texts', 'retrieval_create_document_raw', { data: 'a', metadata: { a: ['b'] } }, true],
    ['metadata with a nested object', 'retrieval_create_document_raw', { data: 'a', metadata: { a: {} } }, false],
    ['new metadata with null', 'retrieval_create_document_raw', { data: 'a', metadata: { a: null } }, false],
    ['null for a key to remove', 'retrieval_patch_document_metadata', { documentId: 'a', metadata: { b: null } }, true],
    ['a mode by name', 'retrieval_create_document_from_url', { url: 'https://a.example', mode: 'agentic_ocr' }, true],
    ['a mode that is new', 'retrieval_create_document_from_url', { url: 'https://a.example', mode: 'all' }, true],
    [
      'JSON as a mode',
      'retrieval_create_document_from_url',
      { url: 'https://a.example', mode: '{"audio":true}' },
      false,
    ],
    [
      'a web address with letters beyond ASCII',
      'retrieval_create_document_from_url',
      { url: 'https://a.example/ü' },
      true,
    ],
    ['an address that is not a web URL', 'retrieval_create_document_from_url', { url: 'ftp://a.example/b' }, false],
    [
      'a mode by medium',
      'retrieval_create_document_from_url',
      { url: 'https://a.example', mode: { audio: true, video: 'audio_only' } },
      true,
    ],
    ['a limit', 'retrieval_set_partition_limits', { partitionId: 'a', pagesHostedLimitMax: 10 }, true],
    [
      'a limit to remove by name',
      'retrieval_set_partition_limits',
      { partitionId: 'a', clear: ['pagesHostedLimitMax'] },
      true,
    ],
    ['null for a limit', 'retrieval_set_partition_limits', { partitionId: 'a', pagesHostedLimitMax: null }, false],
    ['half a page', 'retrieval_set_partition_limits', { partitionId: 'a', pagesHostedLimitMax: 0.5 }, false],
    [
      'a known source',
      'retrieval_create_oauth_redirect_url',
      { redirectUri: 'https://a.example', sourceType: 's3' },
      true,
    ],
    [
      'an unknown source',
      'retrieval_create_oauth_redirect_url',
      { redirectUri: 'https://a.example', sourceType: 'ftp' },
      false,
    ],
  ])('%s in %s', (_, name, args, want) => {
    expect(accepts(retrieval, name, args)).toBe(want);
  });
});
