/** The people and companies of the world, made from their number, so that a name, an address and an employer agree wherever they occur. */

export interface Company {
  readonly name: string;
  readonly domain: string;
  readonly sector: string;
}

export interface Person {
  readonly first: string;
  readonly last: string;
  readonly name: string;
  readonly email: string;
  readonly company: Company;
}

const SEED = 'world-1';

const FIRST =
  'Ana Bruno Chiara Dmitri Elif Farid Greta Hugo Ines Jonas Kemal Leila Marco Nadia Oskar Paula Quinn Rosa Samir Tessa Uma Viktor Wanda Xavier Yara Zoe Aiko Bilal Carmen Daniel Esther Felix Gloria Henrik Irene Jamal Katya Liam Mina Noah Olga Pedro Ruth Stefan Tomas Vera Yusuf Amara Boris Clara Diego Emma Fatima Goran Hanna Ivan Julia Karim Lucia Malik Nora Otto Petra Rafael'.split(
    ' ',
  );
const LAST =
  'Ruiz Novak Becker Rossi Tanaka Silva Haas Moreau Okafor Lund Petrov Garcia Yilmaz Kovacs Duarte Nilsen Weber Costa Ahmed Fischer Romano Larsen Popov Mendez Keller Sato Vidal Horvat Braun Mensah Olsen Ferrari Kaya Lopez Wagner Dubois Ito Santos Meyer Bakker Adeyemi Conti Jensen Sokolov Ortega Maier Nakamura Pereira Vogel Laurent Eze Holm Ivanov Navarro Aydin Toth Almeida Berg Schulz Marino Suzuki Castro Lang Visser Nwosu Ricci Dahl Orlov Herrera Demir Varga Teixeira Strand Koch Gallo Mori Reyes Frank Smit Diallo'.split(
    ' ',
  );
const ADJECTIVES =
  'Amber Arctic Atlas Beacon Birch Bluebird Bright Canyon Cedar Cobalt Copper Coral Crescent Delta Ember Falcon Fern Foxglove Granite Harvest Hazel Indigo Juniper Keystone Lantern Maple Meridian Midland Mosaic Northern Oak Orchard Pacific Pioneer Quartz Redwood Sable Silver Summit Vertex'.split(
    ' ',
  );
const SECTORS =
  'Robotics Analytics Foods Logistics Energy Health Software Bank Textiles Media Airways Chemicals Gardens Insurance Motors Optics Paper Payments Pharma Retail Schools Security Shipping Sports Steel Studios Systems Telecom Tools Toys Travel Water'.split(
    ' ',
  );

/** Those whom the descriptors of our own services name in their examples, first in the world too. */
const KNOWN_COMPANIES: readonly (readonly [name: string, domain: string, sector: string])[] = [
  ['Nord Robotics', 'nordrobotics.example', 'Robotics'],
  ['Tidewater Analytics', 'tidewater.example', 'Data'],
  ['Acme Robotics', 'acme.example', 'Robotics'],
  ['Northwind Analytics', 'northwind.example', 'Data'],
];
const KNOWN_PEOPLE: readonly (readonly [first: string, last: string])[] = [
  ['Maya', 'Lindqvist'],
  ['Omar', 'Haddad'],
];

/** A number from 0 to below 1 that depends on nothing but the parts (FNV-1a, mixed). */
export function draw(...inputs: readonly (string | number)[]): number {
  let hash = 2_166_136_261;
  for (const input of [SEED, ...inputs]) {
    const text = `${input}|`;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** 1,284 names; then they come again with a number. */
export function companyAt(index: number): Company {
  const knownCompany = KNOWN_COMPANIES[index];
  if (knownCompany !== undefined) return { name: knownCompany[0], domain: knownCompany[1], sector: knownCompany[2] };
  const all = ADJECTIVES.length * SECTORS.length;
  const at = ((index - KNOWN_COMPANIES.length) * 467) % all;
  const round = Math.floor((index - KNOWN_COMPANIES.length) / all);
  const sector = SECTORS[at % SECTORS.length] ?? '';
  const name = `${ADJECTIVES[Math.floor(at / SECTORS.length)]} ${sector}${round === 0 ? '' : ` ${round + 1}`}`;
  return { name, domain: `${name.toLowerCase().replaceAll(' ', '')}.example`, sector };
}

/** 5,122 names; then they come again with a number in the address. @param size how many companies the world has */
export function personAt(index: number, size: number): Person {
  const knownPerson = KNOWN_PEOPLE[index];
  const all = FIRST.length * LAST.length;
  const at = ((index - KNOWN_PEOPLE.length) * 1_889) % all;
  const round = Math.max(0, Math.floor((index - KNOWN_PEOPLE.length) / all));
  const [first, last] = knownPerson ?? [FIRST[at % FIRST.length] ?? '', LAST[Math.floor(at / FIRST.length)] ?? ''];
  const company = companyAt(knownPerson === undefined ? skewed(size, 'employer', index) : index);
  const local = knownPerson === undefined ? `${first}.${last}${round === 0 ? '' : round + 1}` : first;
  return { first, last, name: `${first} ${last}`, email: `${local}@${company.domain}`.toLowerCase(), company };
}

/** A number below `size`, small ones more often: a few companies have many of what most have one of. */
export function skewed(size: number, ...inputs: readonly (string | number)[]): number {
  return Math.floor(size * draw(...inputs) ** 2);
}
