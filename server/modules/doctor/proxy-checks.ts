/** Checks the changes that proxies make to a request. The gateway reports the request as it arrived, to a caller with its keys. */

import manifest from '../../../package.json' with { type: 'json' };
import { type CheckResult, error, ok, skipped, warning } from '../../base/checks.ts';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { writeOperatorProof } from '../../base/credentials/operator-proof.ts';
import { createNetworkCheck } from '../../base/guarded-fetch/networks.ts';
import { ask } from '../../base/guarded-fetch/reach.ts';
import type { SeenRequest } from '../../base/http/health.ts';
import type { Config } from '../../config/index.ts';
import type { Target } from './gateway-checks.ts';

/** A reserved address that no host has (RFC 5737). */
const FORGED = '203.0.113.7';

/** @param keys of the tested gateway. */
export async function checkForwarded(
  target: Target,
  config: Config,
  keys: readonly EncryptionKey[] | null,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (keys === null) return [skipped('the gateway shows how requests arrive only to a caller with its keys')];
  const url = `${target.origin}/healthz`;
  const { headers } = await ask(target.reach.anywhere, url, { signal });
  const gatewayTime = Date.parse(headers.get('date') ?? '');
  const Authorization = writeOperatorProof(keys, Number.isNaN(gatewayTime) ? Date.now() : gatewayTime);
  const fetchSeenRequest = async (extraHeaders: Record<string, string>): Promise<SeenRequest | undefined> => {
    const { json } = await ask(target.reach.anywhere, url, { signal, headers: { Authorization, ...extraHeaders } });
    return (json as { request?: SeenRequest } | undefined)?.request;
  };
  const [plain, forged] = await Promise.all([fetchSeenRequest({}), fetchSeenRequest({ 'X-Forwarded-For': FORGED })]);
  if (plain === undefined || forged === undefined) {
    return [
      warning(
        'the gateway that answers has other encryption keys, or is of an older version',
        'run this with the ENCRYPTION_KEYS of that gateway',
      ),
    ];
  }
  const findings = [judgeHost(plain, target.origin), judgeAddress(plain, forged, target.origin, config)];
  if (plain.version !== manifest.version) {
    findings.push(
      warning(
        `the gateway is version ${plain.version}, and this is ${manifest.version}`,
        'run the doctor of the same version',
      ),
    );
  }
  findings.push(await judgeBuffering(target, url, Authorization, signal));
  return findings;
}

function judgeHost({ host, forwarded }: SeenRequest, origin: string): CheckResult {
  const url = new URL(origin);
  if (host !== url.host) {
    return error(
      `the proxy sends Host: ${host} in place of ${url.host}`,
      'proxy_set_header Host $http_host in nginx; Caddy, Traefik and Envoy do so by themselves',
    );
  }
  const scheme = forwarded['x-forwarded-proto'];
  if (scheme !== undefined && `${scheme}:` !== url.protocol) {
    return warning(
      `a proxy says that requests come over ${scheme}, and not over ${url.protocol.slice(0, -1)}`,
      'the gateway uses only PUBLIC_URL; correct X-Forwarded-Proto for other software',
    );
  }
  return ok(`requests arrive with Host: ${host}`);
}

function judgeAddress(
  plain: SeenRequest,
  forged: SeenRequest,
  origin: string,
  { trustedProxies }: Config,
): CheckResult {
  const isTrusted = createNetworkCheck(trustedProxies);
  const peer = plain.peer.replace(/^::ffff:/, '');
  const forwardedFor = plain.forwarded['x-forwarded-for'];
  if (forwardedFor === undefined && isTrusted(peer) && origin.startsWith('https:')) {
    return warning(
      `the proxy at ${peer} does not say whose requests it forwards, so all clients share one limit`,
      'let it send X-Forwarded-For (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for)',
    );
  }
  if (isTrusted(plain.address)) {
    return skipped('TRUST_PROXY names this machine: run the doctor elsewhere to see whether addresses can be forged');
  }
  if (forged.address === FORGED) {
    return error(
      'any client can claim any address',
      'name addresses of proxies alone in TRUST_PROXY, and let the outermost one replace X-Forwarded-For',
    );
  }
  if (forwardedFor !== undefined && plain.address === peer) {
    return error(
      `addresses of clients are not seen: ${peer} sends X-Forwarded-For, and TRUST_PROXY does not name it`,
      `add ${peer} to TRUST_PROXY, if that is a proxy of yours`,
    );
  }
  return ok(`the gateway sees this machine as ${plain.address}, and ignores forged addresses`);
}

/** Reads until the first event arrives: if a proxy buffers, the second arrives with it. */
async function judgeBuffering(
  { reach }: Target,
  url: string,
  Authorization: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  const headers = { Authorization, Accept: 'text/event-stream' };
  const response = await reach.anywhere.fetch(url, { signal, headers });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let done = false; reader !== undefined && !done && !text.includes('\n\n'); ) {
    const chunk = await reader.read();
    done = chunk.done;
    text += decoder.decode(chunk.value, { stream: true });
  }
  await reader?.cancel();
  if (!text.includes('data: {'))
    return warning('an event stream did not come through', 'let the proxy pass text/event-stream on');
  return text.includes('data: end')
    ? error(
        'a proxy holds event streams back until they end',
        'switch buffering off for this host (nginx: proxy_buffering off): clients see no progress, and time out',
      )
    : ok('event streams come through without buffering');
}
