import { describe, expect, test } from 'vitest';
import { checkSameSite } from '../../../../server/base/pages/check-same-site.ts';

const PUBLIC = 'https://tools.example.com';

function check(headers: Readonly<Record<string, string>>) {
  checkSameSite((header) => headers[header] ?? '', PUBLIC);
}

describe('a form', () => {
  test.each([
    {},
    { 'Sec-Fetch-Site': 'same-origin', Origin: PUBLIC },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: PUBLIC },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
  ])('with %j is accepted', (headers) => {
    expect(() => check(headers)).not.toThrow();
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: PUBLIC },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'null' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
    { Origin: 'https://evil.example' },
    { Origin: `${PUBLIC}/` },
  ])('with %j is refused as sent from another site', (headers) => {
    expect(() => check(headers)).toThrow(
      expect.objectContaining({
        status: 403,
        title: 'Sent from another site',
        text: 'This form was not sent from a page of this gateway, so nothing was changed.',
        advice: 'Go back to the application and start again.',
      }),
    );
  });
});
