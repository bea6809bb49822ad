/** Everyday words, with the word of tools that they may mean: one way, each as `word of tools < everyday words`. */

export const EVERYDAY_THINGS = `
accept < join; access < allow edit enter permit push reach see token whitelist write; account < login signin signup
action < automation ci operation pipeline step; activity < active doing feed happen lately latest recent; actor < caller
address < ip; admin < owner; administrator < boss root superuser; advisory < bulletin notice; agent < ai assistant bot support
alert < alarm hole leak monitor notify problem vulnerability warn warning; allow < whitelist; amount < owe
analysis < result scan scanned; annotation < complain complaint line lint linter warning; announcement < banner
app < bot install integration robot; application < bot; approval < ok; approve < accept allow confirm greenlight ok signoff
archive < backup export readonly source tarball zip; area < region zone; artifact < build file output; artist < band musician singer
asset < artifact binary download installer; assign < give given handed owner plate responsible todo
assignee < assign give person responsible; assignment < exercise homework seat; associated < linked related; attempt < try
attendee < guest; attestation < origin proof provenance signed; audience < people; audit < log trail
authentication < login mfa password signin sso; authorization < consent grant; autofix < fix patch repair
autolink < link prefix shortcut; availability < free open slot; available < choose offered option possible
avatar < icon photo picture; backup < copy restore; balance < credit money owe; banner < announcement
batch < many multiple once several; billing < bill charge cost expense money pay price spend spending; blob < raw sha
block < ban blocker disallow forbid prevent prohibit spam spammer troll wait; blocked < banned stuck wait; blocking < wait
board < kanban; branch < head; budget < allowance cap limit spend spending; build < compile rebuild
bulk < batch many multiple once several together; bypass < exception exempt ignore override skip; cache < clear
call < dial phone ring; campaign < drive initiative marketing; capability < able feature; card < credit debit ticket
certificate < https ssl tls; changelog < history; check < ci health lint linter monitor pass test uptime verify; checkout < buy pay
child < inside nested smaller sub subteam; classroom < class course school; clear < clean cleanup; clone < copy download
cluster < kubernetes mysql postgres; code < source; codeowners < owner responsible; codespace < cloud dev environment workspace
collaborator < contractor freelancer friend guest helper invite outsider partner push share; collection < group library set
color < recolor; column < board status; comment < annotate answer discuss note opinion remark thought; commit < change patch save
community < contributing guide health; compare < between changed diff difference; component < module part
concurrency < parallel simultaneous simultaneously; conduct < behavior behaviour; configuration < setup; conflict < clash
container < registry; content < code directory file folder inside readme source text; context < check
contributor < author who worked write wrote; conversation < chat dm; convert < turn; copilot < ai; cost < expense spend
count < number; credential < login; credit < balance money; currency < money; dashboard < home overview
database < mongo mongodb mysql postgres postgresql redis sql; date < deadline due; day < today yesterday; deadline < due
deal < sale; default < standard usual; definition < schema; delegate < assign behalf; delete < bin clean cleanup trash
delivery < arrive attempt came resend send sent; deny < forbid; dependabot < library package
dependency < blocker bump component library package party wait; deploy < live server
deployment < deploy environment live production rollback rollout ship staging; destination < target
detach < disconnect separate unlink; device < computer hardware laptop phone speaker tv; dialog < form modal popup
digest < checksum; direct < dm; disable < disallow forbid prohibit toggle; discount < sale; dismiss < close ignore reject
dispatch < event fire manually run start trigger; dispute < chargeback complaint; dividend < payout shareholder stockholder yield; dnd < disturb mute quiet; domain < website
download < csv export pdf tarball zip; draft < unfinished unpublished unsent wip; due < deadline; duplicate < clone copy
emoji < icon smiley; enable < allow permit toggle; endpoint < server url; enforcement < forced mandatory
environment < deploy live production stage staging; ephemeral < private; episode < podcast
error < bad break broken crash fail failure mistake typo wrong; event < audit doing feed happen log occur timeline
example < sample template; exclusion < exclude ignore skip; export < backup csv download dump; external < guest
failure < break broken crash error fail; favorite < bookmark heart; feature < capability flag
feed < activity news rss stream timeline; field < custom dropdown select; file < artifact binary upload; filter < query saved search
firewall < port; follow < subscribe watch; follower < fan; force < override; fork < copy; frequency < often
fulfillment < order ship; gadget < widget; garbage < clean cleanup space; gist < paste; gitignore < ignore
global < everywhere worldwide; gpg < pgp; grade < mark result score; grant < allow give permission; group < department pool
hash < checksum digest sha; health < alive dns down up working; history < earlier happen old older past previous version
icon < avatar; image < avatar icon logo; immutable < altered changed fixed frozen lock readonly; import < load upload
incident < down outage problem; installation < app where; instance < occurrence; integration < app connect plugin
interaction < comment participate; inventory < available; invitation < ask invite join unaccepted
invoice < charge overdue owe pay receipt spend unpaid; issue < backlog card epic story task; item < card ticket; iteration < sprint
job < position step vacancy; key < encrypt gpg ssh; label < category colour; language < written; large < huge; latest < current new
library < collection saved; license < mit; like < heart; limit < budget capacity ceiling maximum most restrict size threshold
link < redirect relation shortcut; location < city country map nearby region; lock < close freeze prevent readonly stop
log < audit console crash error fail failure output print trail; machine < bigger cpu size spec; map < match; market < country
media < photo picture video; meeting < call conference zoom
member < belong crew employee everyone guy insider join leave part people somebody someone staff
membership < admin belong join owner part role; memory < ram; merchant < seller shop store; merge < combine conflict join
message < dm inbox notify text unread; metadata < custom extra info
metric < bandwidth chart cpu disk figure graph load memory monitor number performance ram trend usage
migration < export import move transfer upgrade; milestone < due goal iteration roadmap sprint; modal < popup; monitor < uptime
move < reorder; multiple < many several; name < handle headline nickname rename retitle subject title; network < subnet
node < worker; note < changelog memo minutes; notification < inbox mention mute notify remind subscribe unmute unread
option < choice choose dropdown select; order < bought buy reorder sort; organization < workspace; origin < source
outage < incident; outside < contractor external freelancer guest outsider
owner < admin belong boss charge lead leader own responsible; ownership < belong owner
package < container docker image npm registry; page < docs website wiki; parent < belong bigger part top; participant < people who
participation < active; partner < vendor; path < page route; pattern < expression regex; payment < money pay receipt; payout < bank
pending < open unanswered unfinished waiting; permalink < link url
permission < admin allow edit level permit power read restrict right setting write; phone < call mobile number; photo < avatar
pin < highlight stick top; ping < alive poke test; pipeline < stage; plan < bought buy package price tier
platform < linux mac os windows; play < listen; playback < listen music play song; plugin < extension; policy < alert rule
poll < survey vote; popular < top; position < order reorder; post < blog publish status tweet; postgresql < postgres; premium < paid
presence < active away busy online status; preview < look; previous < old past; priority < important order rank reorder urgent
private < confidential hidden hide secret secretly; profile < bio; project < board kanban roadmap; property < attribute metadata
protect < guard lock rule; protection < forbid gate guard mandatory must prevent require rule safe secure
public < everyone open visible world; publish < deploy; pull < patch; punch < hour; purge < clean cleanup clear empty
query < filter keyword search sql; question < ask; queue < next upcoming; quota < left usage; quote < estimate offer
rate < call request; rating < score star; reaction < downvote heart react thumb upvote vote; readme < intro introduction
recent < lately; recommendation < discover similar suggest; record < dns point; recording < audio; redeliver < again resend retry
reference < head link point pointer tag; referral < come page popular site visitor; referrer < come site traffic visitor website
refund < money; region < center datacenter location; registration < register sign; registry < container docker; related < similar
relationship < connection link relation; release < deploy latest published rollout ship; remove < ban leave; render < html preview
repeat < again loop; replica < copy read standby; report < overview tell; repository < codebase project
reprioritize < above below reorder; request < ask pending waiting; requested < asked; require < enforce force mandatory
required < mandatory must pass; rerequest < again rerun retry; rerun < again redo repeat restart retry; resend < again retry
reservation < booking; reset < fresh renew rotate; resize < scale size upgrade; resolution < close done fixed
resource < attachment content document file material; restore < undo; restrict < ban disallow forbid limit lock prevent prohibit
restriction < block forbid limit only push; result < outcome output; retention < age expiry keep kept long store
return < back refund; reusable < reuse share; reversal < undo; revert < rollback undo
review < approve feedback inline line opinion signoff; reviewer < approver; revision < history older previous version
revoke < logout; role < admin editor manager owner position power rank reader title viewer; room < meeting place
rule < allow condition forbid gate mandatory must policy prevent protect require whitelist; ruleset < forbid policy protect rule
run < build execution; runner < agent machine server; save < bookmark favorite keep; saved < collection favorite library liked
sbom < component dependency inventory materials; scanning < vulnerability; schedule < cron later
search < contain filter find keyword lookup mention query; seat < assigned; secret < encrypt passphrase password; section < column
security < hack safe; selected < certain chosen picked; session < login logout signin signout; setting < policy toggle
shipment < deliver package tracking; show < podcast series; signature < sign signed; site < website
size < capacity plan price resize scale tier; sms < text; snapshot < copy image; snooze < busy disturb later mute pause
social < facebook instagram linkedin mastodon twitter; source < come site; spend < budget; sponsor < donate support; ssl < tls
stack < chain; star < bookmark favorite like popular; stargazer < liked starred
stat < activity chart many number total traffic trend; statement < invoice report; statistic < activity chart number popular trend
status < away broken busy check ci column done finished going green live online pass passing progress ready red result running uptime
storage < capacity room size space; student < pupil; sub < child nested parent smaller; submit < hand
subscriber < follow watch watcher
subscription < bought buy follow license marketplace mute purchase renew seat subscribe unmute watch watcher
suggestion < proposal propose proposed recommend; summary < report total; survey < form poll questionnaire
suspend < ban block freeze pause; sync < latest pull update; task < assignment card ticket; tax < vat
team < crew department squad subteam; template < boilerplate example sample starter; thread < conversation; thumbnail < preview
ticket < request support; tier < plan price; time < date hours minutes spent; timeline < happen
title < headline name retitle subject; tls < ssl; token < login pat; top < favorite popular; topic < category keyword subject tag
track < music tune; traffic < bandwidth hit popular visit visitor; transaction < purchase transfer; transcript < caption text
transcription < text; transfer < give hand move; transition < move progress status; translation < language
tree < directory file folder; trial < free; type < sort; typeahead < find lookup search suggest; unassign < remove; unblock < ban
unlock < allow reopen writable write; unsubscribe < optout stop; upcoming < future next
update < bump outdated recolor resize retitle upgrade; upgrade < newer version; upload < import
upstream < fork original source sync; uptime < down monitor online up website; url < endpoint redirect
usage < big burn consume consumption cost cpu hours minutes quota seat size spend spent statistic stats traffic used
user < bio employee guy login nickname somebody spammer staff troll worker; username < handle
variable < config constant env shared value; verification < check verify
version < history milestone old older outdated previous upgrade; view < modal popup seen tab visitor
visibility < hidden hide see seen show; void < cancel; volume < drive loud louder quiet quieter; vote < downvote thumbs upvote
vulnerability < cve exploit flaw hole insecure weakness; watch < notify subscribe; watcher < follow watch
webhook < call endpoint notify subscribe tell told url; website < site; weekly < week; workflow < action automation nightly
worklog < hours log spent time work; workspace < organization team; year < annual; zip < download; zone < area region
`;

/** For the word that a request begins with. */
export const EVERYDAY_VERBS = `
add < allow append assign attach jot keep memorise memorize note remember save give include insert invite join leave let link log permit put share stick tag
assign < delegate give hand reassign; cancel < abort discontinue kill retract revoke stop withdraw; comment < reply say write
count < number total
create < author compose draft file found give jot launch leave log memorise memorize note remember propose provision publish put raise report schedule spin start submit write
delete < cancel clear discontinue dissolve ditch drop empty flush forget kill nuke rid stop tear terminate trash undo wipe withdraw zap
disable < block discontinue forbid kill mute pause prevent stop suspend; download < export fetch get grab pull read save
enable < allow permit start unblock; export < download get save; follow < keep; generate < build create write
get < check inspect look read see tell view; grant < allow let; list < browse dump give see show view; lock < close freeze stop
remove < clear demote discontinue dissolve drop kick lift pull revoke stop strip take withdraw; render < convert preview show
replace < change overwrite set swap update; request < ask order rebuild; restore < bring recover reinstate undelete
review < approve check; revoke < discontinue; run < call invoke; search < discover find hunt look
send < deliver fire forward message post ship text
set < adjust allow change choose configure decide define hide let limit mark permit pick put restrict swap switch
start < begin boot launch play resume run trigger; stop < end halt kill pause shut; sync < bring pull update
transfer < give hand move; unblock < allow; unfollow < discontinue; unpin < discontinue withdraw; unstar < discontinue withdraw
update < archive assign boost bump close complete correct decrease demote extend finish fix hide increase lengthen loosen lower mark move postpone prioritize promote publish push raise recolor reduce relax rename renew reopen repair reschedule resolve retitle reword rewrite set shorten soften swap switch tighten tweak upgrade
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
