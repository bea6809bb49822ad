import { describe, expect, it } from 'vitest';
import { parseWire, toWireText, wireKey } from '../../../../codegen/tools/request/wire.ts';

describe('wire addresses', () => {
  it.each([
    ['query.page_size', { in: 'query', name: 'page_size', key: null }],
    ['query.qopts.per_page', { in: 'query', name: 'qopts.per_page', key: null }],
    ['path.document_id', { in: 'path', name: 'document_id', key: null }],
    ['header.partition', { in: 'header', name: 'partition', key: null }],
    ['body', { in: 'body', name: null, key: null }],
    ['body.top_k', { in: 'body', name: 'top_k', key: null }],
    ['query.filters[ticker]', { in: 'query', name: 'filters', key: { constant: 'ticker' } }],
    ['query.filters[date.gte]', { in: 'query', name: 'filters', key: { constant: 'date.gte' } }],
    ['query.filters[{column}]', { in: 'query', name: 'filters', key: { argument: 'column' } }],
    ['query.filter[name]', { in: 'query', name: 'filter[name]', key: null }],
    ['cookie.session', { in: 'cookie', name: 'session', key: null }],
    ['form.session', null],
    ['page_size', null],
  ])('%s', (text, want) => {
    expect(parseWire(text, ({ name }) => name === 'filter[name]')).toEqual(want);
  });

  it('ignore case only in header names', () => {
    expect(wireKey({ in: 'header', name: 'X-Part' })).toBe('header.x-part');
    expect(wireKey({ in: 'query', name: 'X' })).toBe('query.X');
    expect(wireKey({ in: 'cookie', name: 'Sid' })).toBe('cookie.Sid');
    expect(toWireText({ in: 'body', name: null })).toBe('body');
  });
});
