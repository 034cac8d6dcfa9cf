package speech

import (
	"iter"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/text"
)

// bits is what a word can mean. A word may mean several things; only how the words of a sentence stand together says which.
type bits uint64

// The meanings.
const (
	overriding   bits = 1 << iota // ignore, disregard
	telling                       // mention, reveal
	acquiring                     // read, collect
	moving                        // send, forward
	embedding                     // append, include
	running                       // run, execute
	altering                      // change, replace
	wiping                        // delete, write, install: what acts on a system
	stealing                      // exfiltrate, harvest
	obliging                      // must, always, please
	furthering                    // also, first, then
	denying                       // not, never, without
	scoping                       // previous, all, your
	instruction                   // instructions, rules
	safety                        // checks, confirmation
	secret                        // credentials, password
	conversation                  // chat history, system prompt
	person                        // user, operator
	addressee                     // you, your, assistant
	pretext                       // compliance, audit
	trigger                       // before, when, instead
	toolNoun                      // tool, function
	every                         // any, every, other
	parameter                     // argument, recipient
	silent                        // silently, secretly
	feigning                      // pretend, disguise
	role                          // act as, developer mode
	label                         // system, important, note
	approved                      // approval, review
	later                         // later version, afterwards
	superior                      // best, preferred
	disabled                      // deprecated, broken
	regardless                    // regardless, no matter
	detecting                     // detects, flags, sample
	using                         // use, call, invoke
	attack                        // words of attack techniques
	weakAttack                    // words that attacks share with honest tools
	modelNoun                     // model, llm
	obeying                       // obey, follow, comply
	first                         // I, me, my
	ownFlow                       // id, schema: what tools hand to each other
	command                       // sudo, curl: names of programs
	noticing                      // notice, find out
	promoting                     // recommend, advertise

	// Shapes, which no language changes.
	secretPath
	systemPath
	anyPath
	absoluteURL
	foreignHost // a host that names itself hostile, or one that catches requests
	identifier  // snake_case, camelCase, `quoted`
	mailbox
	placeholder // {name}
	literal     // a quoted value

	// Flags of one occurrence.
	base    // a verb as a command has it
	colon   // a colon follows
	lead    // first word of a sentence
	codeish // stands in backticks or quotes
)

// form says how a verb stands.
const forms = base | colon | lead | codeish

// meaning is a row of the lexicon: words that mean one thing. Verbs are listed as commands have them and bent by rule; a
// form that no rule makes is written behind a slash. Phrases are separated by semicolons.
type meaning struct {
	is      bits
	verbs   string
	words   string
	phrases string
}

// lexicon is the vocabulary. The words come from dictionaries and from how people speak; none of them is a finding alone.
var lexicon = []meaning{
	{is: overriding,
		verbs: "ignore disregard forget/forgot/forgotten override/overrode/overridden bypass overrule supersede discard neglect void nullify cancel abandon circumvent suspend overlook drop unlearn skip countermand revoke supplant",
		words: "ignora ignorar ignore ignorez ignorer ignorad ignoren ignoriere ignorieren ignoriert ignorare ignorate missachte missachten vergiss vergesse vergessen olvida olvidar olvide olvidad omite oubliez oublie oublier desconsidere desconsiderar desconsidera esqueca esqueces dimentica dimenticare dimenticate negeer negeren vergeet vergeten zignoruj ignoruj zapomnij ignorera glom unohda jata yoksay unut unutun bosver gormezden abaikan lupakan hiraukan ignoruojte ignorujte zapomen zapomente ignorera strunta ignorer glem ignorati figyelmen hunsa kalimutan balewala ignorirui ignoriruy " +
			"игнорируй игнорируйте игнорировать проигнорируй забудь забудьте ігноруй ігноруйте забудьте تجاهل انس تجاهلوا",
		phrases: "set aside;throw away;throw it away;throw out;pay no attention;are void;is void;no longer applies;no longer apply;no longer valid;no longer binding;no longer count;are cancelled;are canceled;are revoked;are lifted;are suspended;are superseded;are overridden;are obsolete;are invalid;do not apply;does not apply;is lifted;is revoked;is suspended;stop following;no longer follow;take precedence;takes precedence;not bound by;free of;instead of following;ne tiens pas compte;ne tenez pas compte;haz caso omiso;hagas caso omiso;nicht beachten;bo qua;phot lo;khong tuan theo;quen di;gor mezden;yok say;yok sayin;gormezden gel;goz ardi;dikkate alma;jangan hiraukan;jangan ikuti;jangan patuhi;nie zwracaj uwagi;ne fais pas attention;faites abstraction;setz dich uber;non tener conto;non tenere conto;deixe de lado;fara caso;nao leve em conta;bortse fran;bryd dig ikke;laat buiten beschouwing;ignora todo;no tengas en cuenta",
	},
	{is: telling,
		verbs:   "mention tell/told reveal disclose inform notify alert warn show/shown display report say/said announce share acknowledge expose explain discuss indicate state describe surface admit confess flag note let",
		phrases: "cho biet;noi cho;tiet lo;noi voi;tiet lo cho;laat weten;teile mit;haber verme;bilgi verme",
		words:   "soyle soyleme soylemeyin bahsetme bildirme belirtme aciklama beritahu katakan ungkapkan sebutkan memberitahu powiedz mow wspominaj informuj ujawniaj beratta namn avsloja rekni nerikej zminuj fortell fortael kerro mainitse menciones mencionar digas decir reveles revelar mencione diga informes informar mentionne mentionnez dis dites revele revelez erwahne erwahnen erwahnt sage sagen verrate verraten informiere informieren menzionare dire rivelare mencionar dizer revelar vermeld vermelden zeg zeggen сообщай сообщайте говори говорите упоминай упоминайте",
	},
	{is: acquiring,
		verbs: "read/read access open retrieve fetch load get/got/getting obtain collect gather extract dump capture grab scrape copy take/took/taken pull locate look export download cat enumerate list search inspect query snapshot record log",
		words: "oku okuyun baca bacalah membaca doc przeczytaj odczytaj las laes lees precti nacti lue leer lea lee lis lisez lire lies lesen leggi leggere leia ler lees lezen прочитай прочитайте читай 读取 lerne"},
	{is: moving,
		verbs: "copy send/sent transmit/transmitted upload post forward leak/leaked deliver email mail relay transfer submit/submitted push sync report stream dispatch bcc cc share mirror route reroute ship beacon smuggle exfiltrate duplicate propagate publish replicate output return pipe funnel ping phone",
		words: "gonder gonderin ekle koy kirim kirimkan gui wyslij przeslij skicka send odesli poslat laheta trimite enviar envia envie envoie envoyez envoyer sende senden schicke schicken invia inviare verstuur stuur wyslij отправь отправьте отправить перешли"},
	{is: embedding,
		verbs: "contain hold/held carry include append prepend embed/embedded embedding add insert attach put/put place paste incorporate inject pass pack stash tuck hide/hid/hidden encode fill supply provide populate"},
	{is: running,
		verbs: "grant approve authorize authorise export run/ran/run execute launch start spawn eval perform trigger issue type source chain"},
	{is: using,
		verbs: "use call invoke run/ran execute consult employ query select choose switch prefer visit contact access request navigate"},
	{is: altering,
		verbs: "change modify replace set/set alter rewrite/rewrote/rewritten swap/swapped redirect reroute substitute edit update tamper overwrite/overwrote/overwritten correct adjust convert switch exchange round inflate double increase decrease reduce lower raise hardcode force divert pad"},
	{is: wiping,
		verbs: "write/wrote/written append delete remove clear create install chmod wipe purge clean erase drop truncate move rename kill disable enable uninstall format add edit modify update store save overwrite plant register symlink link touch"},
	{is: stealing,
		verbs: "exfiltrate steal/stole/stolen harvest hijack siphon smuggle leak pilfer"},
	{is: stealing, // nouns command nothing
		words: "exfil exfiltration keylogger malware ransomware backdoor trojan rootkit botnet keylog infostealer"},
	{is: obliging,
		words:   "must shall required mandatory always never ensure please compulsory imperative obligatory obliged obligated debes debe deberas siempre nunca muss musst mussen immer niemals dois devez toujours jamais devi deve sempre mai moet altijd нужно должен всегда никогда обязательно necessarily invariably unconditionally",
		phrases: "need to;needs to;have to;has to;make sure;be sure;it is critical;it is essential;it is important;it's critical;is critical to;is essential to;do not proceed;you should;should also;should always;should first;should be supplemented;you will;you are to;not optional;without exception;at all times;under all circumstances;requires that;require that;want you to;wants you to;need you to;needs you to;expect you to;expects you to;requires you to;require you to;demand that you;demands that you;obliges you;in all cases;no exceptions;from now on"},
	{is: furthering,
		words: "also additionally first then automatically afterwards subsequently moreover furthermore beforehand prior immediately secretly silently too"},
	{is: denying,
		words:   "not never without don't no avoid refrain dont cannot nor neither doesn't isn't won't shouldn't mustn't nicht kein nie niemals ne pas sans sin nunca jamas jamais sem nao non senza mai niet nooit bez nie jangan tanpa tidak khong dung aldrig inte ikke ala alka nikdy ne degil asla sakin hicbir не никогда без",
		phrases: "rather than;instead of;fail to;omit to"},
	{is: scoping,
		words: "previous prior all any above earlier preceding your other existing every given original system my these those the foregoing former initial everything anything whatever past current his her their our built-in default " +
			"anteriores previas previa previo todas todos toda precedentes precedente precedenti prior vorherigen vorherige vorigen fruheren bisherigen alle allen alles anteriores toutes tous vorige eerdere alle poprzednie wszystkie wszelkie wszystkich tidigare tidligere foregaende alla alle aiemmat kaikki tum butun onceki yukaridaki evvelki sebelumnya semua terdahulu moi tatca vsechny predchozi lahat nakaraang toate anterioare предыдущие прошлые все предыдущих всех sebelumnya onceki السابقة"},
	{is: instruction,
		verbs: "",
		words: "instruction instructions directive directives guidance directions brief briefing guideline guidelines rule rules prompt prompts constraint constraints order orders restriction restrictions policy policies context guardrail guardrails safeguard safeguards limit limits training programming limitation limitations told mandate mandates protocol protocols principles requirements request task tasks boundaries commands message messages " +
			"instrucciones instruccion ordenes reglas indicaciones instrucoes instrucao regras consignes regles directives anweisungen anweisung regeln vorgaben richtlinien istruzioni regole instructies instrukcje polecenia zasady instruktioner ohjeet talimatlari talimatlar talimati yonergeleri kurallari kurallar komutlari yonergeler instruksi perintah arahan aturan pokyny instrukce pravidla wytyczne reguly instruktionerna instrukser ordrer regler regels instructiunile tagubilin saantoja ohjeita инструкции инструкций указания правила правил تعليمات التعليمات"},
	{is: instruction, phrases: "huong dan;chi dan;chi thi;quy tac;menh lenh;lenh truoc"},
	{is: scoping, phrases: "truoc do;tat ca;moi huong;o tren;ben tren"},
	{is: person, words: "kullanici kullaniciya kullanicinin kullaniciyi pengguna uzytkownikowi uzytkownik anvandaren anvandare brugeren brukeren uzivateli uzivatel kayttajalle kayttaja usuarios gebruikers", phrases: "nguoi dung"},
	{is: safety,
		words: "safety check checks filter filters filtering confirmation confirmations validation validations approval approvals consents restriction restrictions guardrail guardrails consent permission permissions sanitization sanitizing sanitisation moderation review authentication authorization safeguard safeguards verification warning warnings policy policies sandbox protections protection scrutiny oversight"},
	{is: secret,
		words:   "secret secrets credential credentials password passwords passwd passphrase passphrases token tokens cookie cookies keychain mnemonic apikey apikeys dotenv privatekey contrasena contrasenas passwort passworter motdepasse senha senhas wachtwoord hasla пароль пароли",
		phrases: "api key;api keys;env file;env files;environment file;dotenv file;private key;private keys;ssh key;ssh keys;access key;access keys;signing key;encryption key;secret key;master key;seed phrase;recovery phrase;seed words;environment variable;environment variables;env vars;env variables;shell history;clipboard contents;personal data;sensitive data;confidential information;confidential data;sensitive information;confidential company;phone number;bank account;credit card;ssh private keys;credential files;private data;browser history;kubernetes configuration;session data"},
	{is: conversation,
		words:   "conversation conversations",
		phrases: "chat history;last message;user message;last user message;latest message;chat log;chat transcript;system prompt;system message;system instructions;developer message;chain of thought;thinking process;context window;message history;conversation history;previous messages;prior messages;user's messages;your instructions;your prompt;hidden instructions;initial prompt;developer prompt;developer instructions;everything the user said;all messages;every message;full context;entire context;internal reasoning"},
	{is: person,
		words:   "user users human operator customer people them him anyone person owner end-user client clients humans usuario nutzer benutzer utilisateur utente usuario gebruiker uzytkownika пользователю пользователя",
		phrases: "the user;user-facing summary"},
	{is: addressee,
		words: "you your yourself assistant agent model ai llm yours"},
	{is: pretext,
		words: "compliance compliant standards accurate security secure audit auditing performance validation verification quality regulatory regulation regulations logging monitoring diagnostics diagnostic debugging optimization optimisation optimized optimal accuracy integrity consistency safety telemetry policy maintenance tracking efficiency reliability stability troubleshooting analytics backup attribution quota billing caching corruption completeness context personalization regulators legal governance licensing assurance continuity calibration warmup synchronization holistic fraud"},
	{is: trigger,
		words:   "before prior first after when whenever once if each while until during upon antes cuando wenn bevor avant quand prima quando voordat",
		phrases: "every time;instead of;in place of;rather than;as soon as;each time;as part of;prior to"},
	{is: toolNoun,
		words: "tool tools function functions endpoint endpoints plugin plugins server servers service services skill skills"},
	{is: every,
		words: "any every all other others another each subsequent future everything alternative competing similar"},
	{is: parameter,
		words: "parameter parameters argument arguments field value values input inputs recipient recipients destination address account result results response responses bcc cc amount body url output outputs query payload payee payer beneficiary sender subject floor total date figure answer answers ticker quantity price currency"},
	{is: silent,
		words:   "silently secretly quietly covertly invisibly surreptitiously discreetly stealthily unnoticed covert undetected stealth heimlich secretamente silenciosamente discretement segretamente тайно незаметно",
		phrases: "keep quiet;stay quiet;stay silent;remain silent;keep silent;say nothing;nothing happened;in the background;behind the scenes;under the hood;without notice;out of sight"},
	{is: feigning,
		verbs:   "present pretend disguise masquerade pose conceal hide/hid/hidden mask camouflage obscure omit/omitted",
		phrases: "as if;as though;as normal;look like;looks like;appear as;appears as;act normal"},
	{is: role,
		words:   "jailbreak jailbroken unrestricted dan",
		phrases: "you are now;you're now;act as;developer mode;admin mode;god mode;debug mode;root mode;maintenance mode;sudo mode;full system access;elevated privileges;root privileges;root access;unrestricted access;no restrictions;without restrictions;behave as;assume the role;assume the identity;take on the role;administrator privileges;unfiltered mode;from now on you;you are an unrestricted;roleplay as;full trust"},
	{is: label,
		words:   "system important hidden secret instruction instructions inst sys admin assistant assistants agents models human internal critical urgent directive override note notice developer agent ai llm model message information priority mandatory internal required warning attention user confidential classified root prompt sysadmin reminder todo begin end start alert policy rule rules command context administrator security contradiction configuration update task",
		phrases: "end of tool;end of description;end of the description;end of tool description;end of instructions;end of prompt;end of system prompt;end of documentation"},
	{is: approved,
		words:   "approved approval approving reviewed review audited vetted approve authorised authorized pre-authorised pre-authorized pre-approved preauthorised preauthorized accepted whitelisted trusted installed",
		phrases: "post-approval;after approval;passes review;trust it"},
	{is: later,
		words:   "later swap swapped activates activate begin begins become becomes update updated enables version intends switches changes future turns start starts unlocks unlock",
		phrases: "later version;later on;next version;will switch;will start;will begin;will then;will change;will become;future version;next version;at that point"},
	{is: superior,
		words:   "best preferred superior favourite favorite ultimate unbeatable unmatched fastest authoritative finest greatest foremost",
		phrases: "only trusted;only official;only correct;only tool;most reliable;most trusted;most accurate;number one;top choice;better than;over any other;above all other;highest priority;takes priority;always prefer;always choose;always pick;preferred over;prefer this;first choice"},
	{is: disabled,
		phrases: "no longer maintained;no longer supported;no longer safe;no longer secure;end of life",
		words:   "deprecated disabled unavailable obsolete vulnerable broken retired outdated unsafe insecure compromised decommissioned discontinued suspended unreliable offline incomplete inaccurate inferior maintenance unsupported vulnerabilities vulnerability bug bugs buggy faulty corrupt corrupted frozen restricted blocked wrong incorrect"},
	{is: regardless,
		words:   "regardless irrespective notwithstanding whatever unconditionally",
		phrases: "no matter;even if;even when;even though;even where;even should;however many;however much;however often;without regard;contrary to what;independently of;other than what;different from what;whatever the;whichever the;despite what;instead of what;irrespective of;independent of;in spite of"},
	{is: detecting,
		words:   "detects detect scans scan flags checks checking identifies finds scanner scanning detector detection linter guard guardrail recognizes recognises catches blocks blocking classifies sanitizes sanitises strips filters sample samples mock canned fixture illustrative training documents documentation illustrates demonstrates describes lists searches warns prevents rejects refuses",
		phrases: "such as;for example;e g;checks whether;checks if;like the phrase;containing the phrase"},
	{is: obeying,
		verbs: "respect observe abide consider obey follow comply treat trust accept honor honour heed adhere interpret regard",
		words: "authoritative", phrases: "carry out;act on;act upon;comply with"},
	{is: first,
		words: "i me my i've i'd i'm", phrases: "i want you;i need you;i order you;i ask you;i command you;i instruct you;i gave you;i asked you;i authorize you;i authorise you;this is your user;i am your"},
	{is: noticing,
		verbs: "notice realise realize suspect learn know/knew/known see/saw/seen discover hear/heard perceive",
		words: "aware awareness knowledge unaware", phrases: "find out;finds out;found out;catch on"},
	{is: promoting,
		verbs: "recommend suggest promote advertise praise endorse favour favor plug rank push"},
	{is: modelNoun,
		words: "llm model agent assistant ai"},
	{is: ownFlow,
		words:   "id ids identifier identifiers name names schema schemas slug uuid uid url urls token key list number",
		phrases: "unless the user;if the user;unless explicitly;if not provided;if unsure"},
	{is: command,
		words: "sudo curl wget rm bash sh zsh powershell cmd chmod chown nc netcat ncat socat scp rsync ssh-keygen crontab eval nohup dd mkfs systemctl launchctl schtasks certutil bitsadmin invoke-webrequest iex base64 python python3 perl ruby node npx pip npm apt apt-get brew export echo cat tee printenv env history whoami ifconfig openssl git kill killall shutdown reboot useradd passwd mkfifo os.system subprocess.run subprocess.popen child_process subprocess osascript"},
}

// entry is what the lexicon knows of one word.
type entry struct {
	word    string
	is      bits
	more    class
	phrases []phrase // that end with it
}

// phrase is words that together mean something else.
type phrase struct {
	before []uint32 // the hashes of the words before the last one
	is     bits
	more   class
}

// vocabulary is an open table: a word's hash leads to its entry, or to an empty one.
type vocabulary struct {
	entries []entry
	marks   []uint32 // hashes, 0 for an empty place
	slots   []uint16 // which entry stands there
	mask    uint32
	// others are words of scripts without blanks, by their first character.
	others map[rune][]entry
	firsts [1 << 10]uint64 // a bit for each of those characters
}

const hashStart, hashPrime = 2166136261, 16777619 // FNV-1a

func hash(word string) uint32 {
	h := uint32(hashStart)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * hashPrime
	}
	return h
}

// known looks a word up that may have capitals.
func (v *vocabulary) known(word string) *entry {
	h := uint32(hashStart)
	for i := range len(word) {
		h = (h ^ uint32(small(word[i]))) * hashPrime
	}
	return v.find(h, word)
}

func (v *vocabulary) find(h uint32, word string) *entry {
	for i := h & v.mask; v.marks[i] != 0; i = (i + 1) & v.mask {
		if e := &v.entries[v.slots[i]]; v.marks[i] == h && sameFold(e.word, word) {
			return e
		}
	}
	return nil
}

// sameFold compares a word of the lexicon with one of a text that may have capitals.
func sameFold(small, word string) bool {
	if len(small) != len(word) {
		return false
	}
	for i := range len(small) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != small[i] {
			return false
		}
	}
	return true
}

// words is the lexicon made ready.
var words = sync.OnceValue(vocabularyOf)

func vocabularyOf() *vocabulary {
	const places = 1 << 14 // four for each word
	v := &vocabulary{entries: make([]entry, 0, places/4), marks: make([]uint32, places), slots: make([]uint16, places), mask: places - 1, others: map[rune][]entry{}}
	for i, c := range classes {
		for w := range strings.FieldsSeq(c.words) {
			v.entry(text.Fold(w).Text).more |= mask(i)
		}
		for one := range strings.FieldsSeq(c.verbs) {
			for form, plain := range bend(one) {
				e := v.entry(form)
				e.is |= plain
				e.more |= mask(i)
			}
		}
		v.phrases(c.phrases, 0, mask(i))
	}
	for _, m := range lexicon {
		for w := range strings.FieldsSeq(m.words) {
			is := m.is
			if m.verbs != "" || m.is&(overriding|telling|acquiring|moving) != 0 {
				is |= base // another language's: the forms listed are those of commands
			}
			v.entry(text.Fold(w).Text).is |= is
		}
		for one := range strings.FieldsSeq(m.verbs) {
			for form, plain := range bend(one) {
				v.entry(form).is |= m.is | plain
			}
		}
		v.phrases(m.phrases, m.is, 0)
	}
	for w, is := range attackWords() {
		v.entry(w).is |= is
	}
	for _, m := range unspaced {
		for w := range strings.FieldsSeq(m.words) {
			w = text.Fold(w).Text
			for _, r := range w {
				v.others[r] = append(v.others[r], entry{word: w, is: m.is | base})
				v.firsts[r>>6&(1<<10-1)] |= 1 << (r & 63)
				break
			}
		}
	}
	return v
}

// entry is that of a word without capitals. It is made where there is none.
func (v *vocabulary) entry(word string) *entry {
	h := hash(word)
	i := h & v.mask
	for ; v.marks[i] != 0; i = (i + 1) & v.mask {
		if e := &v.entries[v.slots[i]]; v.marks[i] == h && e.word == word {
			return e
		}
	}
	v.marks[i], v.slots[i] = h, uint16(len(v.entries))
	v.entries = append(v.entries, entry{word: word})
	return &v.entries[len(v.entries)-1]
}

// phrases takes in phrases that are parted by semicolons, each at its last word.
func (v *vocabulary) phrases(list string, is bits, more class) {
	for p := range strings.SplitSeq(list, ";") {
		if p == "" {
			continue
		}
		words := strings.Fields(text.Fold(p).Text)
		before := make([]uint32, 0, len(words)-1)
		for _, w := range words[:len(words)-1] {
			v.entry(w)
			before = append(before, hash(w))
		}
		e := v.entry(words[len(words)-1])
		e.phrases = append(e.phrases, phrase{before, is, more})
	}
}

// unspaced are words of scripts that are written without blanks, or that bend words in more ways than a list holds: they
// are looked for anywhere in a word.
var unspaced = []meaning{
	{is: overriding, words: "忽略 无视 無視 忽視 忘记 忘記 不要遵守 不理会 無視して 忘れて 무시 잊어 игнорир проигнорир 覆盖 绕过 绕過 अनदेखा ละเว้น เพิกเฉย नज़रअंदाज़ तजاهل"},
	{is: scoping, words: "之前 以前 先前 所有 上述 一切 前面 以上 全て すべて これまで 이전 모든 предыдущ всех पिछले सभी ก่อนหน้า ทั้งหมด"},
	{is: instruction, words: "指令 指示 规则 規則 命令 提示 要求 설정 지시 명령 규칙 инструкц указани правил निर्देश คำสั่ง"},
	{is: denying, words: "不要 不得 别 勿 切勿 しないで ないで 하지 마 말고 ないこと"},
	{is: telling, words: "告诉 告訴 提及 透露 说出 知らせ 言わ 伝え 알리 말하 언급 сообща рассказыва упомина"},
	{is: person, words: "用户 用戶 ユーザー 사용자 пользовател"},
	{is: secret, words: "密码 密碼 私钥 私鑰 密钥 凭证 令牌 パスワード 秘密鍵 비밀번호 개인키 парол ключ"},
	{is: moving, words: "发送 發送 上传 上傳 转发 傳送 送信 送って 전송 보내 отправ"},
	{is: acquiring, words: "读取 讀取 获取 読み取 読んで 읽어 прочита"},
	{is: obliging, words: "必须 必須 务必 一定要 必ず 반드시 обязательно"},
}

// bend makes the forms of an English verb. The command's form and the plain one are alike; plain says which form it is.
func bend(v string) iter.Seq2[string, bits] {
	return func(yield func(string, bits) bool) {
		parts := strings.Split(v, "/")
		v := parts[0]
		stem, third := v, v+"s"
		switch {
		case strings.HasSuffix(v, "e"):
			stem = v[:len(v)-1]
		case strings.HasSuffix(v, "y") && len(v) > 2 && !strings.ContainsAny(v[len(v)-2:len(v)-1], "aeiou"):
			third = v[:len(v)-1] + "ies"
		case strings.HasSuffix(v, "s") || strings.HasSuffix(v, "sh") || strings.HasSuffix(v, "ch") || strings.HasSuffix(v, "x"):
			third = v + "es"
		}
		out := []string{third, stem + "ing"}
		past := stem + "ed"
		if third == v[:len(v)-1]+"ies" {
			past = v[:len(v)-1] + "ied"
		}
		if len(parts) == 1 {
			out = append(out, past)
			if short(v) { // swap, swapped
				last := v[len(v)-1:]
				out = append(out, v+last+"ed", v+last+"ing")
			}
		}
		out = append(out, parts[1:]...)
		if !yield(v, base) {
			return
		}
		for _, form := range out {
			if form != v && !yield(form, 0) {
				return
			}
		}
	}
}

// short says whether a verb doubles its last letter.
func short(v string) bool {
	const vowels = "aeiou"
	n := len(v)
	return n >= 3 && !strings.ContainsAny(v[n-1:], vowels+"wxy") && strings.ContainsAny(v[n-2:n-1], vowels) && !strings.ContainsAny(v[n-3:n-2], vowels)
}

// Words is every entry of the word data: words and phrases. A test holds it against the corpora, so that nothing in it is a
// sentence that somebody wrote.
func Words() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range append(append([]meaning(nil), lexicon...), unspaced...) {
			for _, list := range []string{m.verbs, m.words} {
				for w := range strings.FieldsSeq(list) {
					if !yield(w) {
						return
					}
				}
			}
			for p := range strings.SplitSeq(m.phrases, ";") {
				if p != "" && !yield(p) {
					return
				}
			}
		}
		for _, c := range classes {
			for _, list := range []string{c.verbs, c.words} {
				for w := range strings.FieldsSeq(list) {
					if !yield(w) {
						return
					}
				}
			}
			for p := range strings.SplitSeq(c.phrases, ";") {
				if p != "" && !yield(p) {
					return
				}
			}
		}
		for w := range attackWords() {
			if !yield(w) {
				return
			}
		}
	}
}
