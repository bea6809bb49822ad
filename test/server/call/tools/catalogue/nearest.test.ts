import { describe, expect, it } from 'vitest';
import { findNearest } from '../../../../../server/call/tools/nearest.ts';

const ROWS: readonly [string, readonly string[], readonly string[]][] = [
  ['document_id', ['documentId', 'docId'], ['documentId']],
  ['documentID', ['documentId'], ['documentId']],
  ['pagesize', ['pageSize', 'page'], ['pageSize']],
  ['hires', ['fast', 'hi_res'], ['hi_res']],
  ['limit', ['pageLimit', 'cursor'], ['pageLimit']],
  ['zebra', ['cursor', 'limit'], []],
  ['', ['cursor'], []],
  ['x'.repeat(101), ['x'.repeat(101)], []],
];

describe('findNearest', () => {
  for (const [text, candidates, want] of ROWS) {
    it(`finds ${JSON.stringify(want)} for ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(findNearest(text, candidates)).toEqual(want);
    });
  }

  it('finds several that are equally near, and none that are farther', () => {
    expect(findNearest('get_item', ['get_items', 'get_itema', 'get_other'], 3)).toEqual(['get_itema', 'get_items']);
  });
});
