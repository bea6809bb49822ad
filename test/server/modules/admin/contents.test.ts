import { expect, test } from 'vitest';
import { givenDashboard } from './support.ts';

const given = givenDashboard();
const contentsOf = (text: string) => /<nav class="contents".*?<\/nav>/s.exec(text)?.[0] ?? '';

test('a long page begins with links to its sections, and a short one does not', async () => {
  const operator = await given.operator();
  const { text } = await operator.get(`/admin/partners/${given.partnerId}`);
  const anchors = [...contentsOf(text).matchAll(/href="#([^"]+)"/g)].map(([, anchor = '']) => anchor);
  expect(anchors).toEqual(expect.arrayContaining(['secrets', 'settings', 'suspend', 'remove']));
  for (const anchor of anchors) expect(text.split(`<h2 id="${anchor}"`)).toHaveLength(2);
  expect(contentsOf((await operator.get('/admin/tools')).text)).toBe('');
});

test('every entry of the menu has an icon, which screen readers skip', async () => {
  const { text } = await (await given.operator()).get('/admin');
  const [menu = ''] = /<nav aria-label="Dashboard">.*?<\/nav>/s.exec(text) ?? [];
  const entries = menu.match(/<a /g) ?? [];
  expect(entries.length).toBeGreaterThan(8);
  expect(menu.match(/<svg [^>]*aria-hidden="true"><path d="M[^"]+"\/>/g)).toHaveLength(entries.length);
});
