/** Checks the gateway from outside: its address, its certificate, its clock. */

import { type CheckResult, error, ok, skipped, warning } from '../../base/checks.ts';
import { isAddress } from '../../base/guarded-fetch/networks.ts';
import { ask, NoAnswerError, type Reach, readCertificate } from '../../base/guarded-fetch/reach.ts';
import { isLoopbackOrigin } from '../../base/http/loopback.ts';

/** The address under which the doctor checks a gateway. */
interface TargetAddress {
  /** An origin, without a trailing slash. */
  readonly origin: string;
  /** True if `--url` names it. Then something must answer there. */
  readonly isAsked: boolean;
  readonly reach: Reach;
}

/** The gateway as the doctor addresses it, with the findings that other checks wait for. */
export interface Target extends TargetAddress {
  /** The finding about its address. */
  readonly address: Promise<CheckResult>;
  /** The finding about its host name. */
  readonly host: Promise<CheckResult>;
  /** True if the gateway answers there; checks that depend on it wait for this. Never rejects. */
  readonly isThere: Promise<boolean>;
  /** True if the gateway accepts the host as its own: otherwise it refuses everything but probes. Never rejects. */
  readonly isOwn: Promise<boolean>;
}

/** Time limit of the check that all others wait for. */
const FIRST_TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const FEW_DAYS = 21;
const SKEW_WARNING_MS = 5_000;
const SKEW_ERROR_MS = 60_000;
const PROXY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Checks `GET /healthz`, which the gateway answers under any host name. */
export async function checkAnswers({ origin, isAsked, reach }: TargetAddress): Promise<CheckResult> {
  const mustAnswer = isAsked || !isLoopbackOrigin(origin);
  try {
    const answer = await ask(reach.anywhere, `${origin}/healthz`, { signal: AbortSignal.timeout(FIRST_TIMEOUT_MS) });
    const { status } = (answer.json ?? {}) as { status?: unknown };
    if (answer.status === 200 && status === 'ok') return ok(`a gateway answers at ${origin}`);
    if (answer.status >= 300 && answer.status < 400) {
      return error(
        `${origin} redirects to another address`,
        'clients compare addresses byte by byte: set PUBLIC_URL (or --url) to where it leads, or remove the redirect',
      );
    }
    if (PROXY_FAILURES.has(answer.status)) {
      return error(
        `something in front of the gateway answers ${answer.status}`,
        'the gateway is not running, or the proxy forwards to another address than HOST and PORT',
      );
    }
    return error(
      `what answers at ${origin} is not a gateway (GET /healthz: ${answer.status})`,
      'pass all paths of this host on to the gateway, or correct PUBLIC_URL',
    );
  } catch (problem) {
    if (!(problem instanceof NoAnswerError)) throw problem;
    if (mustAnswer) return error(problem.message, 'correct PUBLIC_URL, DNS or the proxy, or start the gateway');
    return warning(
      `no gateway runs at ${origin}`,
      'start it (npm start) and run this again: the checks from outside were left out',
    );
  }
}

/** Checks the host's addresses, its certificate, and what answers without TLS. */
export async function checkTls({ origin, reach }: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const url = new URL(origin);
  if (url.protocol === 'http:') {
    if (isLoopbackOrigin(origin)) return [skipped('this machine is reached without TLS')];
    return [error(`${origin} is without TLS`, 'put a proxy with TLS in front, and set PUBLIC_URL to https://')];
  }
  const certificate = await readCertificate(url, reach, signal).catch((problem: unknown) => {
    if (problem instanceof NoAnswerError)
      return error(problem.message, 'correct DNS, or the port that the proxy listens on');
    throw problem;
  });
  if ('seen' in certificate) return [certificate];
  return [judgeCertificate(url, certificate), await checkPlainHttp(url, reach, signal)];
}

function judgeCertificate(
  { host }: URL,
  { problem, validTo, issuer, protocol }: Awaited<ReturnType<typeof readCertificate>>,
): CheckResult {
  const days = Math.floor((validTo - Date.now()) / DAY_MS);
  const until = new Date(validTo).toISOString().slice(0, 10);
  if (problem !== null) {
    const advice = problem.includes('chain')
      ? 'serve the certificate followed by the intermediate certificates (often called fullchain.pem)'
      : 'give the proxy a valid certificate of a public authority for this name';
    return error(`${host} ${problem} (until ${until}, by ${issuer})`, advice);
  }
  if (days < FEW_DAYS) {
    return warning(`the certificate of ${host} expires in ${days} days (${until})`, 'see why it was not renewed yet');
  }
  return ok(`${host} has a valid certificate by ${issuer} for ${days} more days (${until}), over ${protocol}`);
}

/** Port 80 may be closed, or redirect to https. */
async function checkPlainHttp(url: URL, { anywhere }: Reach, signal: AbortSignal): Promise<CheckResult> {
  if (url.port !== '' || isAddress(url.hostname)) return skipped('http is not checked for this port or address');
  try {
    const { status } = await ask(anywhere, `http://${url.hostname}/healthz`, { signal });
    if (status >= 300 && status < 400) return ok('http leads to https');
    if (status !== 200) return ok(`http is answered with ${status}`);
    return warning('the gateway also answers over http', 'let the proxy redirect http to https');
  } catch (problem) {
    if (problem instanceof NoAnswerError) return ok('http is closed');
    throw problem;
  }
}

/** Checks that the gateway accepts this host as its own. */
export async function checkHost({ origin, reach }: TargetAddress): Promise<CheckResult> {
  const signal = AbortSignal.timeout(FIRST_TIMEOUT_MS);
  const document = await ask(reach.anywhere, `${origin}/.well-known/oauth-protected-resource`, { signal });
  const { host } = new URL(origin);
  if (document.status === 403 && (document.json as { error?: unknown } | undefined)?.error === 'invalid_host') {
    return error(
      `the gateway does not accept ${host} as its own name (invalid_host)`,
      'the proxy must pass Host on unchanged (nginx: proxy_set_header Host $http_host), and PUBLIC_URL must be this origin',
    );
  }
  return ok(`the gateway accepts ${host} as its own name`);
}

/** Checks that the gateway's store answers, and that the gateway is not stopping. */
export async function checkReady({ origin, reach }: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const { status, json } = await ask(reach.anywhere, `${origin}/readyz`, { signal });
  if (status === 200) return [ok('the gateway is ready')];
  const text = `the gateway is not ready (${statusOf(json) ?? status})`;
  return [error(text, 'see the check of the store, and the log of the gateway')];
}

/** Compares the clock of the responses with the local one. */
export async function checkClock({ origin, reach }: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const sentAt = Date.now();
  const { headers } = await ask(reach.anywhere, `${origin}/healthz`, { signal });
  const gatewayTime = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(gatewayTime)) return [skipped('the answers have no Date')];
  return [judgeSkew('the gateway', gatewayTime + 500 - (sentAt + Date.now()) / 2)];
}

/** @param skewMs positive: the other clock is ahead. `Date` has whole seconds, so half a second means nothing. */
export function judgeSkew(whose: string, skewMs: number): CheckResult {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) < SKEW_WARNING_MS) return ok(`the clock of ${whose} agrees with the one here`);
  const text = `the clock of ${whose} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the one here`;
  const fix = 'synchronize both machines (NTP): tokens, codes and signatures have times';
  return Math.abs(skewMs) < SKEW_ERROR_MS ? warning(text, fix) : error(text, fix);
}

function statusOf(json: unknown): string | undefined {
  const { status } = (json ?? {}) as { status?: unknown };
  return status === 'stopping' || status === 'store unreachable' ? status : undefined;
}
