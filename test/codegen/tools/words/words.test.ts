import { describe, expect, it } from 'vitest';
import { toWords } from '../../../../codegen/tools/words/words.ts';

describe('words of a name', () => {
  it.each([
    ['listDocuments', ['list', 'documents']],
    ['create_document_from_url', ['create', 'document', 'from', 'url']],
    ['createOAuthRedirectUrl', ['create', 'oauth', 'redirect', 'url']],
    ['HTMLContent', ['html', 'content']],
    ['userIDs', ['user', 'ids']],
    ['listV2Users', ['list', 'v2', 'users']],
    ['repos/list-for-org', ['repos', 'list', 'for', 'org']],
    ['GetUsers_v1.2', ['get', 'users', 'v1', '2']],
    ['naïveCafé', ['naive', 'cafe']],
    ['名前', []],
    ['', []],
  ])('splits %s', (name, want) => {
    expect(toWords(name)).toEqual(want);
  });
});
