import { describe, expect, test } from 'vitest';
import { fillServerUrl, isUserValue, variablePosition } from '../../shared/server-urls.ts';

const HOST = 'https://{host}/api';
const LABEL = 'https://{tenant}.example.com:8443/v2';
const PATH = 'https://example.com/{account}/v2';

test.each([
  ['{base_url}', 'base_url', 'url'],
  [HOST, 'host', 'host'],
  ['https://{host}:8443', 'host', 'host'],
  [LABEL, 'tenant', 'label'],
  ['https://api-{tenant}.example.com', 'tenant', 'label'],
  [PATH, 'account', 'path'],
  ['https://example.com:{port}', 'port', null],
  ['{scheme}://example.com', 'scheme', null],
  ['https://example.com/?tenant={tenant}', 'tenant', null],
])('of %s, %s is the %s', (template, name, place) => {
  expect(variablePosition(template, name)).toBe(place);
});

describe('fillServerUrl', () => {
  test.each([
    [HOST, 'acme.example', 'https://acme.example/api'],
    [HOST, 'acme.example:8443', 'https://acme.example:8443/api'],
    [HOST, 'ACME.example', 'https://acme.example/api'],
    [HOST, '[::1]:4000', 'https://[::1]:4000/api'],
    [LABEL, 'acme', 'https://acme.example.com:8443/v2'],
    [PATH, 'a/b', 'https://example.com/a/b/v2'],
    ['{url}', 'http://127.0.0.1:4000/a/', 'http://127.0.0.1:4000/a/'],
    ['{url}', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['https://{dataCenter}.example.com', undefined, 'https://{dataCenter}.example.com'],
  ])('fills %s with %s', (template, value, url) => {
    expect(fillServerUrl(template, () => value)).toBe(url);
  });

  test.each([
    [HOST, 'https://acme.example'],
    [HOST, 'acme.example/evil'],
    [HOST, 'acme.example\\evil'],
    [HOST, 'user@evil.example'],
    [HOST, 'evil.example#'],
    [HOST, 'evil.example?x='],
    [HOST, 'evil.example:1@acme.example'],
    [HOST, 'evil%2eexample'],
    [HOST, 'evil。example'],
    [HOST, 'ev\tил.example'],
    [HOST, '2130706433'],
    [HOST, '0x7f.1'],
    [HOST, '.evil.example'],
    [HOST, 'evil..example'],
    [HOST, ''],
    [LABEL, 'evil.example/'],
    [LABEL, 'evil.example#'],
    [LABEL, 'evil.example:443/x'],
    [LABEL, 'a@b'],
    [LABEL, ''],
    [PATH, '..'],
    [PATH, '../..'],
    [PATH, 'a?b=c'],
    [PATH, 'a#b'],
    [PATH, '%2e%2e'],
    [PATH, 'a\\..\\b'],
    ['{scheme}://acme.example', 'https://evil.example/?'],
    ['{url}', 'ftp://acme.example'],
  ])('refuses in %s the value %j', (template, value) => {
    expect(fillServerUrl(template, () => value)).toBeNull();
  });
});

test.each(['acme', 'acme-1', 'eu.acme', 'A_b~c'])('a user may give %s', (value) => {
  expect(isUserValue(value)).toBe(true);
});

test.each([
  '',
  '.',
  '..',
  'a..b',
  'a.',
  '.a',
  '-a',
  'a/b',
  'a:1',
  'a@b',
  'a b',
  'a%2fb',
  'ä',
  '10.0.0.1',
  '127',
  'a\n',
])('no user may give %j', (value) => {
  expect(isUserValue(value)).toBe(false);
});
