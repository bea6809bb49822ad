/** Creates certificates for test servers on demand, because a committed one would expire. */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** PEM, for `node:https`; clients trust `certificate` as their `ca`. */
interface TestCertificate {
  readonly key: string;
  readonly certificate: string;
}

const SEQUENCE = 0x30;
const OID = { commonName: '550403', subjectAltName: '551d11', ecdsaWithSha256: '2a8648ce3d040302' };

/**
 * Creates a certificate (RFC 5280 §4.1) for host names, valid from yesterday.
 *
 * @param options.days until it expires. Default: 1.
 * @param options.signedBy an authority that no server sends. Default: it is self-signed.
 */
export function createCertificate(
  hostnames: readonly string[],
  { days = 1, signedBy }: { days?: number; signedBy?: string } = {},
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, oid(OID.ecdsaWithSha256));
  const issuer = nameOf(signedBy ?? 'tests');
  const now = Date.now();
  const validity = der(SEQUENCE, time(now - 86_400_000), time(now + days * 86_400_000));
  const names = der(SEQUENCE, ...hostnames.map(toGeneralName));
  const extension = der(SEQUENCE, oid(OID.subjectAltName), der(0x04, names));
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    issuer,
    validity,
    nameOf('tests'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signer = signedBy === undefined ? privateKey : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, signer));
  const base64 = der(SEQUENCE, toBeSigned, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function nameOf(text: string): Buffer {
  return der(SEQUENCE, der(0x31, der(SEQUENCE, oid(OID.commonName), der(0x0c, Buffer.from(text)))));
}

function toGeneralName(hostname: string): Buffer {
  const isAddress = /^[\d.]+$/.test(hostname);
  return isAddress ? der(0x87, Buffer.from(hostname.split('.').map(Number))) : der(0x82, Buffer.from(hostname));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(milliseconds: number): Buffer {
  const [text = ''] = new Date(milliseconds).toISOString().replaceAll(/[-:T]/g, '').split('.');
  return der(0x17, Buffer.from(`${text.slice(2)}Z`));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
