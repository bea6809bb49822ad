/** Words of which people use one and a descriptor another. A service has more of its own in `connector.yaml`. */

import { toStem } from './words.ts';

/** Each line: words that may stand for one another. */
const GROUPS = `
get show fetch retrieve read view display see check find lookup give open detail details info information pull inspect obtain grab
list show all every browse enumerate see view get pull
search find query lookup locate seek discover
create add make new insert register open start post save build generate setup write submit put define establish record
update edit change modify set patch adjust alter replace rename post put move amend revise correct fix
delete remove drop erase destroy discard clear purge trash eliminate scrap
cancel stop abort end terminate quit
run trigger start dispatch launch execute
send deliver mail
download export
upload import attach ingest
add import upload ingest store
invite add
enable activate
disable deactivate
approve accept allow
decline reject deny refuse dismiss
close end finish
publish release create
person people user member human colleague someone everyone
company organization organisation org firm business corporation enterprise startup vendor
organization organisation org
customer client buyer
document doc file
repository repo
application app
configuration config setting preference option
image picture photo
message msg
email mail
issue ticket bug
column field attribute property
row record entry item
table dataset sheet
invoice bill
price cost
limit quota cap
label tag
contact subscriber recipient email
permission access
build workflow ci pipeline
usage consumption
latest newest recent last
group team
url link address
summary abstract overview summarize gist
folder directory
content text body
environment env
authentication auth
administrator admin
`;

/** One way: whoever says the first means the others. */
const HINTS = `
my authenticated current own
me authenticated current own
mine authenticated current own
myself authenticated current own
who user member person people
she person people contact
him person people contact
whoami authenticated current user
count number total stat
`;

const byStem = new Map<string, Set<string>>();
for (const line of GROUPS.trim().split('\n')) {
  const stems = line.split(' ').map(toStem);
  for (const stem of stems) addAll(stem, stems);
}
for (const line of HINTS.trim().split('\n')) {
  const [first = '', ...others] = line.split(' ').map(toStem);
  addAll(first, others);
}

function addAll(stem: string, others: readonly string[]): void {
  const known = byStem.get(stem) ?? new Set<string>();
  byStem.set(stem, known);
  for (const other of others) if (other !== stem) known.add(other);
}

/** Stems that may stand for this one. */
export function synonymsOf(stem: string): ReadonlySet<string> {
  return byStem.get(stem) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();
