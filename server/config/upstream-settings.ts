/** The settings of requests to services and other hosts. */

import { z } from 'zod';
import { parseNetworks } from '../base/guarded-fetch/networks.ts';
import { parseDirectHosts } from '../base/guarded-fetch/proxy.ts';
import { settingIn } from './setting.ts';
import { parsedBy, parseHosts, parseOrigin, parseProxyUrl, wholeNumber } from './values.ts';

const upstreams = settingIn('Upstreams');

export const UPSTREAM_SETTINGS = {
  upstreamTimeoutMs: upstreams({
    variable: 'UPSTREAM_TIMEOUT_MS',
    read: wholeNumber(100, 600_000),
    default: 30_000,
    meaning: 'Time that an upstream has for one tool call, in milliseconds.',
  }),
  upstreamConcurrency: upstreams({
    variable: 'UPSTREAM_CONCURRENCY',
    read: wholeNumber(1, 100_000),
    default: 256,
    meaning:
      'Concurrent requests that one gateway may send to one upstream at one base URL. As many again wait, for at most five seconds.',
  }),
  mcpDrift: upstreams({
    variable: 'MCP_DRIFT',
    read: z.enum(['refuse', 'warn'], { error: 'must be refuse or warn' }),
    default: 'refuse',
    meaning:
      'What happens to a call of a tool whose definition at its MCP server is not the reviewed one: it is refused, or made and logged (warn).',
    example: 'warn',
  }),
  testSandboxUrl: upstreams({
    variable: 'TEST_SANDBOX_URL',
    read: parsedBy(parseOrigin),
    defaultText: 'none; partners have no test mode',
    type: 'origin',
    meaning:
      'Origin of a running sandbox (utg sandbox), which answers for every service in the test mode of partners. Users of test mode reach nothing else, and other users never reach it.',
    example: 'https://sandbox.example.com',
  }),
  plainHttpUpstreams: upstreams({
    variable: 'PLAIN_HTTP_UPSTREAMS',
    read: parsedBy(parseHosts),
    default: [],
    type: 'hosts',
    meaning:
      'Hosts whose base URLs may begin with http://, separated by commas. Credentials travel to them unencrypted. This machine is always allowed.',
    example: 'crm.internal,10.0.0.7',
  }),
  outgoingNetworks: upstreams({
    variable: 'OUTGOING_NETWORKS',
    read: parsedBy(parseNetworks),
    defaultText: 'none; this machine where PUBLIC_URL is this machine',
    type: 'addresses and CIDR ranges',
    meaning:
      'Addresses or CIDR ranges besides the public internet that the gateway may send requests to, separated by commas, or none: upstreams, webhooks, the OpenID provider, documents of clients.',
    example: '10.20.0.0/16,fd00:20::/32',
  }),
  outgoingProxyUrl: upstreams({
    variable: 'OUTGOING_PROXY',
    read: parsedBy(parseProxyUrl),
    type: 'URL',
    meaning:
      'Proxy that tunnels every outgoing request. It must refuse addresses that are not public, because the gateway no longer sees them. HTTPS_PROXY and similar variables are ignored.',
    example: 'http://user:password@proxy.internal:3128',
    secret: true,
  }),
  directHosts: upstreams({
    variable: 'OUTGOING_NO_PROXY',
    read: parsedBy(parseDirectHosts),
    default: [],
    type: 'hosts, addresses and CIDR ranges',
    meaning:
      'Host names (with their subdomains), addresses and CIDR ranges that are reached without OUTGOING_PROXY, separated by commas. This machine always is.',
    example: 'crm.internal,10.20.0.0/16',
  }),
} as const;
