import { expect, test } from 'vitest';
import { createOperatorCheck, writeOperatorProof } from '../../../../server/base/credentials/operator-proof.ts';
import { keyBytes } from '../../../support/keys.ts';

const NOW = Date.UTC(2026, 0, 31);
const KEYS = [
  { id: 'new', key: keyBytes(1) },
  { id: 'old', key: keyBytes(2) },
];
const check = createOperatorCheck(KEYS, () => NOW);

test('a proof by any key of the ring is valid for a minute', () => {
  for (const key of KEYS) {
    expect(check(writeOperatorProof([key], NOW))).toBe(true);
    expect(check(writeOperatorProof([key], NOW - 60_000))).toBe(true);
    expect(check(writeOperatorProof([key], NOW - 60_001))).toBe(false);
    expect(check(writeOperatorProof([key], NOW + 60_001))).toBe(false);
  }
});

test('a proof by another key, with another time, or of another shape is invalid', () => {
  const proof = writeOperatorProof(KEYS, NOW);
  expect(check(writeOperatorProof([{ id: 'new', key: keyBytes(3) }], NOW))).toBe(false);
  expect(check(writeOperatorProof([{ id: 'third', key: keyBytes(1) }], NOW))).toBe(false);
  expect(check(proof.replace(String(NOW), String(NOW + 1)))).toBe(false);
  for (const text of ['', 'UTG-Operator', proof.slice(0, -1), `${proof}A`, proof.replace('UTG-Operator', 'Bearer')]) {
    expect(check(text)).toBe(false);
  }
});
