/** What people say every day, and the word of tools that they may mean: one way, each `word of tools < what is said`. */

export const EVERYDAY_THINGS = `
accept < join; access < allow enter permit reach see token whitelist; account < login signin signup; action < operation step
activity < doing feed happen lately latest recent; address < ip; admin < owner; administrator < boss root superuser
agent < assistant bot support; alert < alarm monitor notify warn; allow < whitelist; amount < owe; analysis < scan
annotation < warning; announcement < banner; app < bot install integration; application < bot
approve < accept allow confirm greenlight ok signoff; archive < backup export readonly tarball zip; area < region zone
artifact < build file output; artist < band musician singer; asset < artifact binary download installer
assign < give owner responsible; assignee < assign responsible; assignment < seat; attendee < guest
attestation < origin proof provenance signed; audience < people; audit < log trail
authentication < login mfa password signin sso; availability < free open slot; avatar < icon photo picture
backup < copy restore; balance < credit money owe; banner < announcement; batch < many multiple once several
billing < charge cost expense money pay price spend
block < ban blocker disallow forbid prevent prohibit spam spammer troll wait; blocked < wait; blocking < wait; board < kanban
branch < head; budget < cap limit spend; build < compile; bulk < batch many multiple once several; bypass < exempt override skip
cache < clear; call < dial phone ring; campaign < marketing; capability < able feature; card < credit debit ticket
certificate < https ssl tls; changelog < history; check < ci health monitor test uptime verify; checkout < buy pay
child < nested sub subteam; clear < clean cleanup; clone < copy download; cluster < kubernetes mysql postgres; code < source
collaborator < guest invite share; collection < group library set; color < recolor; column < board status
comment < annotate discuss note opinion; commit < change; compare < between changed diff difference; component < module part
concurrency < parallel simultaneous; configuration < setup; container < registry
content < code directory file folder inside readme source; contributor < author who; conversation < chat dm
cost < expense spend; count < number; credential < login; credit < balance money; currency < money; dashboard < home overview
database < mongo mongodb mysql postgres postgresql redis sql; date < deadline due; deadline < due; deal < sale
default < standard; delegate < assign behalf; delete < bin clean cleanup trash; delivery < attempt resend sent; deny < forbid
dependency < blocker bump library package wait; deploy < server
deployment < deploy environment live production rollback rollout ship staging; destination < target
device < computer hardware laptop phone speaker tv; dialog < form modal popup; digest < checksum; direct < dm
disable < disallow forbid prohibit toggle; discount < sale; dismiss < close ignore reject
dispatch < event fire manually run start trigger; dispute < chargeback complaint; dnd < disturb mute quiet; domain < website
download < csv export pdf tarball zip; draft < unfinished unpublished unsent wip; due < deadline; duplicate < clone copy
emoji < icon smiley; enable < allow permit toggle; endpoint < server url; environment < deploy production staging
ephemeral < private; episode < podcast; error < break broken crash fail failure; event < audit doing feed happen occur timeline
example < sample template; export < backup csv download dump; external < guest; failure < break broken crash error fail
favorite < bookmark heart; feature < capability flag; feed < activity news; field < custom dropdown select
file < artifact binary upload; filter < query saved search; firewall < port; follow < subscribe watch; force < override
fork < copy; fulfillment < order ship; gadget < widget; garbage < clean cleanup space; grant < allow give permission
group < department; hash < checksum digest; health < alive dns down up working
history < earlier happen old older past previous version; icon < avatar; image < avatar icon logo
immutable < fixed lock readonly; import < load upload; incident < down outage problem; installation < app
integration < app connect plugin; interaction < comment; inventory < available; invitation < join
invoice < charge overdue owe pay receipt spend unpaid; issue < backlog card epic story task; item < card; iteration < sprint
job < position step vacancy; key < encrypt gpg ssh; language < written; latest < current new; library < collection saved
license < mit; like < heart; limit < budget capacity maximum restrict size; link < redirect relation shortcut
location < city country map nearby region; lock < close freeze prevent readonly stop
log < audit crash error fail failure output trail; market < country; media < photo picture video; meeting < call conference zoom
member < belong crew everyone guy insider join leave part people somebody someone; membership < belong join part role
memory < ram; merchant < seller shop store; merge < combine conflict join; message < dm inbox notify text unread
metadata < custom extra info; metric < bandwidth chart cpu disk graph load memory monitor performance ram trend usage
migration < export import move transfer upgrade; milestone < due iteration roadmap sprint; modal < popup; monitor < uptime
move < reorder; multiple < many several; name < handle headline nickname rename retitle subject title; network < subnet
node < worker; note < changelog; notification < inbox mention mute notify remind subscribe unmute unread
option < choice choose dropdown select; order < bought buy reorder sort; organization < workspace; origin < source
outage < incident; outside < external guest; owner < admin belong boss charge lead leader own responsible
ownership < belong owner; package < container docker image npm registry; page < docs website wiki; parent < top
participant < people who; payment < money pay receipt; payout < bank; pending < open waiting; permalink < link url
permission < admin allow level permit restrict setting; phone < call mobile number; photo < avatar; pin < highlight stick
pipeline < stage; plan < package price tier; play < listen; playback < listen music play song; plugin < extension
policy < alert rule; poll < survey vote; popular < top; position < order reorder; post < blog publish status tweet
postgresql < postgres; presence < active away busy online status; preview < look; previous < old past
priority < important order rank reorder urgent; private < confidential hidden hide secret; profile < bio
project < board kanban roadmap; protect < guard lock rule; protection < forbid guard mandatory prevent require rule safe secure
public < open visible; publish < deploy; purge < clean cleanup clear empty; query < filter keyword search sql; question < ask
queue < next upcoming; quota < left usage; quote < estimate offer; rate < call request; rating < score star
reaction < downvote heart react thumb upvote vote; recent < lately; recommendation < discover similar suggest
record < dns point; recording < audio; redeliver < again resend retry; reference < head link point pointer tag
referral < page popular visitor; referrer < come traffic visitor website; refund < money; region < center datacenter location
registry < container docker; related < similar; relationship < connection link relation
release < deploy latest published rollout ship; remove < ban leave; render < html preview; repeat < again loop
replica < copy read standby; report < overview; repository < codebase; request < ask pending; require < enforce force mandatory
required < mandatory; rerequest < again rerun retry; rerun < again redo repeat restart retry; resend < again retry
reservation < booking; resize < scale size upgrade; resolution < close done fixed; restore < undo
restrict < ban disallow forbid limit lock prevent prohibit; restriction < block forbid limit; result < output
retention < keep long; return < back refund; revert < rollback undo; review < approve feedback opinion signoff
revision < history older previous version; revoke < logout; role < admin owner position rank title; room < meeting place
rule < allow condition forbid mandatory policy prevent protect require whitelist; ruleset < forbid policy protect rule
run < execution; runner < agent machine server; save < bookmark favorite keep; saved < collection favorite library liked
sbom < component dependency inventory materials; scanning < vulnerability; schedule < cron later
search < contain filter find keyword lookup mention query; secret < encrypt; section < column; security < hack safe
session < login logout signin signout; setting < policy toggle; shipment < deliver package tracking; show < podcast series
signature < sign; site < website; size < capacity plan price resize scale tier; sms < text; snapshot < copy image
snooze < busy disturb later mute pause; spend < budget; sponsor < donate support; ssl < tls; star < bookmark favorite popular
stat < activity chart many number trend; statement < invoice report; statistic < activity chart number popular trend
status < away broken busy check ci column done finished going live online progress result running uptime
storage < capacity size space; sub < child nested parent; subscriber < follow watch watcher
subscription < follow license mute renew seat subscribe unmute watch watcher; suggestion < recommend; summary < report
survey < form poll questionnaire; suspend < ban block pause; sync < latest pull update; task < assignment card ticket; tax < vat
team < crew department squad subteam; template < boilerplate example sample starter; thumbnail < preview
ticket < request support; tier < plan price; time < date hours minutes spent; timeline < happen
title < headline name retitle subject; tls < ssl; token < pat; top < favorite popular; topic < keyword subject tag
track < music tune; traffic < bandwidth hit popular; transaction < purchase transfer; transcript < caption text
transcription < text; transfer < give hand move; transition < move progress status; translation < language
tree < directory folder; trial < free; typeahead < find lookup search suggest; unassign < remove; unlock < allow reopen
unsubscribe < optout stop; upcoming < future next; update < bump outdated recolor resize retitle upgrade
upgrade < newer version; upload < import; upstream < fork original source sync; uptime < down monitor online up website
url < endpoint redirect; usage < consume cost cpu hours minutes quota seat size spend spent statistic stats
user < bio guy login nickname somebody spammer troll; username < handle; variable < config constant env value
verification < check verify; version < history milestone old older outdated previous upgrade; view < modal popup
visibility < hidden hide; volume < drive loud louder quiet quieter; vote < downvote thumbs upvote
vulnerability < exploit flaw hole weakness; watcher < follow watch; webhook < endpoint subscribe url; website < site
workflow < action automation; worklog < hours log spent time work; workspace < organization team; zone < area region
`;

/** For the word that a request begins with. */
export const EVERYDAY_VERBS = `
add < append assign attach give include insert invite join leave link log put stick tag; assign < delegate give hand reassign
cancel < abort kill retract revoke stop withdraw; comment < reply say write; count < number total
create < author compose draft file found give launch leave log propose provision publish put raise report schedule spin start submit write
delete < cancel clear ditch drop empty flush kill nuke rid stop tear terminate trash undo wipe zap
disable < block forbid kill mute pause prevent stop suspend; download < export fetch get grab pull read save
enable < allow permit start unblock; export < download get save; generate < build create write
get < check inspect look read see tell view; list < browse dump give see show view; lock < close freeze stop
remove < clear demote drop kick lift pull revoke stop strip take withdraw; render < convert preview show
replace < change overwrite set swap update; request < ask order; restore < bring recover reinstate undelete
review < approve check; run < call invoke; search < discover find hunt look; send < deliver fire forward message post ship text
set < adjust change choose configure define limit mark pick put restrict switch
start < begin boot launch play resume run trigger; stop < end halt kill pause shut; sync < bring pull update
transfer < give hand move
update < archive assign boost bump close complete correct decrease demote extend finish fix hide increase lengthen lower mark move postpone prioritize
update < promote publish push raise recolor reduce rename renew reopen repair reschedule resolve retitle reword rewrite set shorten swap switch tweak upgrade
upload < add attach import put
`;

/** A request that uses the first word may mean any of the others. */
export const HINTS = `
my authenticated current own
me authenticated current own
mine authenticated current own
myself authenticated current own
who user member person people
she person people contact
him person people contact
whoami authenticated current user
count number total stat
leak secret alert scanning
vulnerable vulnerability alert advisory
left remaining limit
remaining limit
contribute contributor
private visibility
public visibility
`;
