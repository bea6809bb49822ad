import { describe, expect, it } from 'vitest';
import { accepts, loadGenerated } from './generated-connector.ts';

const retrieval = await loadGenerated('retrieval');

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
