// Made by test/tokenizers/make-words.mjs; checked by test/tokenizers/verify-words.mjs. Do not edit.

// Two lists without a word in both, so that no word is stored twice: 2373 and 6301 words.
const HEAD = `
abc abilities ability able abol about abs absolute abstract acc accept access account accur ace act action actions activ activate active activity
actor acts actual add added adding addr address adj adjust admin ads adv aff after again age aged agent ages aging ago aid aim ain air akt album ale
alert alg algorithm ali alias align all alla alle aller alloc allow allowed alone alpha als also alt alter altern although always amb amen amer
american amount analysis anc anch anche anchor and ander andra android ang ange angel anger angle angles angular anim animation ann anni ano anos ans
answer ant ante antes anth anti any api app appe append apple apply appro approx apps apt aqu arc arch archive are area aren arg args argument
arguments argv aria arm armed arms around arr array arrow art arte article arts asc ash ask assembly assert asset assets assign ast async ate ath atom
atomic att attach attachment attr attribute attributes aud audio auf aug aur aus aut auth author auto autom autor aux available ave aver await aware
away awk axis back backend background backs bad bag bal balance ball ban band bands bank bar bars bas base based basic bat batch bean beans bear beat
because bed before begin being bek bel bell ben bench ber bere bes best bet beta between bew bid big bil bild bin binary bind binding bio bird bis bit
bits black blank ble block blocks blog blue board boards boat body bol bold bon bone book books bool boolean boost boot bor border born bot both
bottom bound bounds bour bow box boxes boy boys bra brace branch brand bras bre bread break breaking brew bridge brief bro bru btn bucket bud buf buff
buffer bug build builder building built bul bullet bur burn bus business but button buttons byte bytes cache cal calc calendar call callback called
cam camp can cancel canvas cap capacity caps car card cards care cart cas case cases cast castle cat catch categories category cel cell cent center
cer cert ces cfg cha chain chair change changed changes channel chant chap char character charge chart chat che check checked chem cher chez chi child
children chip cho choice chr chron cin cir circ circle cit city claim claimed class classes cle clean clear click client clip clock clone close closed
closure cloud cls club cluster cmd cnt cod code codes coin col coll collapse collect collection colon color colors column columns com comb come comes
comfort coming comm command commands comment comments commerce commit common comp company compare compet compile complete complex component components
compress comput compute con conc cond condition conditions conduct conf config configure confirm conn connect connected connection cons console const
constant constants construct cont contact container contains content contents context contin continue contr contract control controller controls conv
convert cookie coord cop copy copyright cor cord core correct cos cost cou could count counter country course court cout cov cover covered cpu craft
cre create created cred crit cro cross css ctx cul cup cur curr currency current cursor custom customer cut cycl cycle czas dag dal dam dan dar dark
das dat data database dataset date dated dates datetime dating day days dead debug dec deck decl decode ded deep def default define defined definition
deg degree del delay delete delta dem demo den dep dependent depth der derive des desc design dess dest destroy det detail details dev develop device
dialog dict did die diff dig dim dir dire direct direction directory dis disable disabled disk disp dispatch display dist distance dit div doc
document does dog dom domain don done door doors dot double down download drag draw drive driver dro drop dst due dump dup duration dynamic each ear
ears echo edge edges edit editor educ een eff effect effective ego eight eing ele elect elem element elements elf elif ell ella elle eller els else
email emb embed emit emp empt empty enable enc encode encoded encoding end ende ended ending endl ends energy eng engine enh ens ensure ent enter
entities entity entre entries entry ents enum env epoch equ equal equals era ere err error errors ers esc escape ese esp especially ess est esta este
etc eth ett eval even event events ever every example exc except exception exec execute exist existing exists exit exp expand expect expected expl
export exports expr express expression ext extension external extra fab fac face faces fact factor factory fail failed failure fake fall falls false
family fan far fare fast father feature features fed fee feed fel fen fer fetch field fields fig figure fil file filename files fill filled film
filter fin final find finished finite fire first fish fit five fix fixed flag flags flash flat flex float floor flow flu flush fly fmt focus fol fold
folder folk follow fon font foo food foot for force forced fore foreach form format formation formed former forming forms fort forward found four
frame frames framework fre free frequency friend from front ful full fully fun func function functions fund fur future gain gal game gan gang gar gas
gate geb ged gel gem geme gen gender gener general generate generic gent geometry ger ges gesch gest get gets gew ging girl git glass gle glob global
god going gold good google got goto gra grad grade grades graduate gram grand graph grav gray gre green gren grid gro ground group groups guard guid
gun hab had hal half hall halt ham han hand handle handler hang har hard has hash hat have head headed header headers heading heads health heap heart
hed height hel held help helper hem hen her here hero hes het hex hid hidden hide high hill him hind hip hire his hist history hit hol hold holder
holds hole hom home hon hood hook hooks hop hor horizontal horn host hot hour house hover how href html htt http https hub hum human hung hus hyper
ice ich icon ide idea ident identifier identity idi ids idx ign ignore ill ils imag image images img imm immer imp impl implement import important inc
inch incl include includes including ind inde index inf info ing ingen inherit init initial initialize ink inline inn inner input inputs ins insert
inst install instance int inte integer integr inter interest interface intern internal interpret interval into inv invalid ion iron iss isset issue
issues ist item items iter iterator its jack jan jar java jer jet job join joint jour journal jours joy json jud just kan kap kar kat keep keeping ker
kernel key keys keyword kil kill kin kind king kit kle know known kol kom kon kor kwargs lab label labels lad lag lambda lan land lands lane lang
language lap larg large las last lat late latest lav law lay layer layout leading leaf lean lear learn learning lease leave lect led left leg legal
len length les less let lets lett letter lev level lib library lic license lie life lig light lights lik like likely lim limit limited limits lin line
linear lined lines ling link linked links list lista listed listen lists lit liter literal liv live load loaded loader loading loc local locale
location lock locked log logger logging login logo logs lon long look looking loop lord los loss lot lov love low lower lung lying mac machine mad
made mag mail main major make maker making mal man managed management manager mand many map maps mar mare margin mark market marks mart mas mask mass
master mat match matched matches mate material math matrix max may maybe mean measure med medi media medium mel mem member members memory men ment
menu mer merge mes mesh message messages met meta metadata method methods metric metrics mic mid middle mil mile mill min mind mine mir miss missing
mission mit mitt mix mobile mock mod modal mode model models modified module modules moment mon mond mong mont month mor more mos most mot mother
mount mouse mouth mov move msg mul mult multi multiple mus must mut mysql nah nam name named names namespace nan nar nas nat native natural nav
navigation necessary need neg negative nel nell ner net network never new news next nic nice nick nie night nil nit nod node nodes nom non none nor
norm normal nos nost not notation note notes notice nov now null num number numer nut obj object objects obs observ occ occup och oct odd oder off
offset old older once onde onder one ones online only ont onto ook open opens oper operation operations operator opp ops opt optim option optional
options oral orb ord orden order ordered orders ore org organ orient orig origin original orth osc ost other others ott ought our ours out outer
output outs oven over overflow override owe own owned owner owners pace pack package pad padding pag page pages paid pair pal pan panel panic paper
par para paragraph parallel param parameter parameters params pare parent parents park parse parser part partial partition parts party pas pass
password pat patch path paths patient pattern pause pay payload payment pdf ped peer peg pel pen pending pent people per percent perform period perm
pers person personal pert pes pet phase phone phones photo phrase phys pic pick picture pid pie piece pin pipe pit place placement plain plan plane
plant platform play player ple plot plug plugin plugins plus pod point pointer points pol policy polit poll poly pon pool pop por port portal porte
ports pos pose position poss possible post posts pot pow power pre pred predict prefix prepare pres present press pret prev previous price prim
primary prime print printf prints priority priv private pro prob proc process processing processor prod produ product production products prof profile
profit program progress project projects prom proof prop properties property props prot protected proto protocol prov provider proxy psy ptr pub
public published pull pur push put python quad qual quality quant quarters que quel quer query quest question queue quick quot quote rac rad radio
radius rag rage raid raise raising ram ran rand random range rank rap ras rat rate rated rating ratio raw ray raz reach react read reader ready real
reason reb rec reck recogn record records rect red redirect reduce ref refer reference reflect refresh reg regex region register registry regular rel
related relation relative release rem remark remarks remote remove ren rend render rent rep repeat replace reply repo report repository req requ
request requests require required res resent reset resolve resource resources resp respect respond respons response rest result results ret return
returns rev reverse review rib ric rice rich rid ride rif rig right rim ring rip ris rise rit riv river road rob rock rod role roll rolled rolling rom
room rooms root rose rot rotation rou rough round route router routes row rows roz rub rug rule rules rum run runner running runtime rus rust safe sal
sam same sample san sat save say scale scan scar scene sch schema school science scope score scr screen script scripts scroll sea search season sec
second secondary seconds secret section secure security sed see seed seek seen seg segment sel select selected selection selector self selling sem sen
send sender sent sep seq sequ sequence ser serial series serv serve server service services ses session set sets setting settings setup seven sha
shadow shake shall shape share shared she sheet shell shift shine ship shop shore short shot shots should show sid side sig sign signal sil sim simple
sin since sing single site six size sizeof ski skill skin skip sky sleep slice slide slot small smart social socket soft sol sole solid som some
something son sort sound source space span spe spec special specific spect speed spin split spot spring sql square src sta stable stack stad staff
stage stairs stan stance stand standard standing star start stat state statement states static station stats status std ste stead step steps ster
stick sto stock stone stood stop storage store storm story str stre stream strict string strings strip stroke strong struct structure stud student sty
style styles sub subject submit subset success such suite sum summary sun sup super support supported sur surface swap switch sym symbol syn sync sys
system tab table tag tags tail take tal talk tan tar target task tasks tax team tech techn teen teil tek tele tem temp template ten tenant ter term
termin terra test testing tests tex text than that the theme then there they thing think third this though thread three threshold through throw throws
thumb thy tid ties til tim time timer times timestamp tiny tip title tmp toggle tok token tom ton tons too tool tools top topic tor tot total touch
town tra trace track train training trans transfer transform transition translate transport tras tre tree tri trigger trim true try tuple turn two txt
typ type typeof types uid uint uit ult uma una unc und undefined under une uniform union unique unit units unity unknown uno uns unsigned unt unter
until update updated upload upp upper urb urg uri url usage use used user username users uses using uso utf util utils utter uuid val valid validate
validation value values van var vari variable variables variant vars vas vec vector ved vel ven vendor vent venue ver verb verify vers verse version
versions vert vertex vertical very vest vet vez via vid video vier view views vil ville vin vir virt virtual vis visible vision visit voice void vol
volt volume vor vote wait wal walk wall wand want war ward ware warning was watch water wave way ways weak wealth wear web wed week weight weights
well wen wer were west western what wheel when where which while white who why wid wide widget width wie will win wind window windows wing wire wise
with without woman won wood wor word words work worker workers working works world worth worthy wrap wrapper write writer writing written www xml yard
year yes you your zero zip zone zoom
`;

const BODY = `
aan abandon abandoned aber aboard abort abortion above abril abroad abrupt abruptly absence absent absolut absolutely absor absorb absorbed absorption
absurd abund abundance abuse academic acceler accent acceptable acceptance accepted accepting accepts accessed accessible accident accidents accom
accommod accomp accompany accompl accomplish accord accordance according accounting accounts accum accuracy accurate accurately accus accused achie
achieve achieved achieving acid acknow acknowled acqu acquire acquired acres across acted acting activated activation actively activities actors
actress actually adapt adaptation adapted adapter addiction addition additional addressed addresses addressing adds adequate adjacent adjusted adm
administer admission admit admitted adopt adopted adoption adult adults advance advanced advances advant advantage advantages advent adventure
adventures advers advert advertis advice advis advise advised advoc advocate aer aest aesthetic affair affairs affect affected affecting affection
affects affili affiliate affiliates affirm afford affordable afin afraid afternoon afterward afterwards against agencies agency agenda agents aggreg
aggregate aggress aggressive agosto agree agreed agreement agreements agrees ahead aimed aims ainsi aircraft airport alarm albums alc alcohol algebra
algo algorithms alien aligned alignment alike aliment alive alleg alleged allem allerg alley alliance allies allocate allocated allocation allowing
allows almost along alongside alors already altered alternate alto altogether altre altri amateur amazing ambit ambitious amid among amongst amounts
ampl amplitude analog analy analys analyst analytics analyze analyzed ancestors ancient ancora andere anderen angl angry animal animals animated anime
announce announced annoy annoying annual annually anonymous another answered answering answers anterior antib anticip anx anxiety anxious anybody
anymore anyone anything anytime anyway anywhere apare apart apartment apartments apolog apost appar apparent apparently appeal appealing appear
appearance appeared appearing appears appel appet appetite appl applic applicable applied applies applying appoint appointed appreciate approach
approached approaches appropri approval approved apr april apro arbitr arbitrary archae architect areas arena argc argue argued arguing arise arist
armor army arom arrang arrange arranged arrays arrest arrested arriv arrival arrive arrived arrives arriving arrog artic articles artificial artikel
artillery artist artistic artists artwork aside asked asking asks asleep aspect aspects aspir assass assault assembled assess assessment assigned
assignment assist assistance assistant associ associate associated assum assume assumed assumes assuming assumption assure assured aston athletes atm
atmos atmosphere atoms attached attack attacked attacking attacks attempt attempted attempting attempts attend attendance attended attending attention
attitude attitudes attorney attract attracted attraction attractive attributed auch auction audience audiences audit augment august aument aunque aunt
ausge auss aussi authentic authority authorized authors automated automatic autonom autre autres autumn avait avant avec average avoid avoided
avoiding avoir avril awake award awarded awards awareness awesome awful awkward bab babies baby backed backing backpack backup backward backwards
bacter bacteria badly bags bail bajo baking balanced bald balls bamb banda banking bankrupt banks banned bapt bare barely barg bark barn barr barrel
barrier barriers baseball baseline basement bases basically basis basket basketball bass bast bath bathroom batt batter batteries battery battle
battles bay beach beam beard bearing bears beast beaten beating beaut beautiful beauty became become becomes becoming bedroom beds beef been beer bef
befind beg began beginning begins begun beh behalf behave behavior behaviors behaviour behind bei beiden beim beings bekannt belie belief beliefs
believe believed believes believing belly belong belonged belonging belongs beloved below belt bem bend beneath benef beneficial benefit benefits bent
bereits besch beside besides beste betray better betting beyond bez bias bibli bien bigger biggest bij bike bill billion bills biological birds birth
birthday bite bitmap bitter blacks blade blame blanc bland blanket blast bleeding blend bless blessed blessing blev blew blind blink blo blob blocked
blocking blogs blond blood bloody blow blowing blown blues blur boats bob bod bodies bog bolt bom bomb bombs bond bonds bones bonus booking boom booth
boots bord borders bore bored boring borrow bos boss bother bothered bott bottle bottles bou bought boundaries boundary bounded bout bowl boyfriend
brain brains branches brands brass brave breakdown breakfast breaks breat breath breathe breathing bree breed breeze brick bride briefly brig bright
brill brilliant bring bringing brings brit broad broadcast broader broke broken broker bron bronze brother brothers brought brow brown brows browser
brush brushed brut brutal bubble buck buddy budget buffers bugs buildings builds bulk bull bump bunch bund bundle bunk burden bureau buried burned
burning burst bush businesses bust busy butter buy buyer buyers buying buzz bzw cab cabin cabinet cable cached cad cada caf cage cake calcul calculate
calculated caller calling calls calm calories camb came camera cameras campaign campaigns campo camps campus canal cancell cancelled cancer cand
candid candidate candidates candle candy cannot canon canonical cant capability capable capac capit capital capitalism capt captain capture captured
caract caracter carb carbon cared career careers careful carefully cares cargo caring carpet carriage carried carrier carries carry carrying cars
carved casa cash casino caso casting casual catal catalog catching categor cater cats cattle caught caus causa cause caused causes causing caut
caution cav cave ceiling cele celebr celebrate celebrated celle cells celui cement census centered centers central centre centro cents centuries
century cerca cere ceremon ceremony certain certainly certified cet cette chains chairman chairs chall challeng challenge challenged challenges
chamber champ champion champions chance chances chang changing channels chaos chapter chapters chaque characters charged charges charging charity
charm charming charts chase cheap cheaper checking checks cheek cheeks cheer cheese chef chemical chemicals chemistry chest chick chicken chief
childhood chill chim chin chips chocolate choices choose choosing chop chopped chose chosen christ chrom chronic chuck chunk chunks church churches
cidade cig cigarette cinema circa circles circuit circular circum cited cities citiz citizen citizens citt ciudad civ civil civilian claiming claims
clan clar clarity clas classe classic classical classified classroom clause clay cleaned cleaning cleanup cleared clearing clearly cler clever clicked
clicking clients clim climate climb climbed climbing clin clinic clinical clo clos closely closer closest closet closing cloth clothes clothing clouds
clubs clue clusters clutch coach coaches coaching coal coalition coast coastal coat cob coc coding coff coffee cogn cognitive coinc coins cold
collabor collapsed collar colle colleagues collected collecting collective colleg college colleges collision colonial colony colored colour colours
combat combine combined combining comedy comenz comerc comic commanded commander comme commence commented commercial commission commitment committed
committee commod commonly commun commune community como compact compan companies companion companions compar comparable compared comparing comparison
compass compassion compat compatible compelling compens compete competed competing compiled compiler compl complain complained complaint complaints
complement complet completed completely completing completion complexity compliance complic compliment comply comport compos composed composer
composite compound comprend comprom compromise compt compte computed computer computers computing comun conce conced concent concept concepts concern
concerned concerning concerns concert concl conclude concluded conclusion concrete condem condu conducted conducting cone confer conference confess
confidence confident configured confirmed conflic conflict conflicts conform confront confused confusing confusion congreg congress conj connecting
conoc conqu conscience conscious conse consensus consent consequ conserv consid consider considered considers consist consisted consistent consisting
consists consolid conspiracy constantly constitu constraint consult consultant consulting consum consume consumed consumer consumers contacted
contacts contain contained containers containing contempl contempor conten contest continent conting continu continued continues continuing continuous
contra contracts contrad contrary contrast contre contribute contro controlled controvers conven convenient convent convention conver convers
conversion converted convex convey convicted conviction convin convince convinced cook cooked cookies cooking cool cooling cooper coordinate cope
copied copies copper cops corn corner corners coron corpor corporate corps corre corrected correction correctly correl correspond corridor corrupt
corruption cort cosm costs costume cot cottage cotton couch cough couldn coun council counsel counted counting countless countries counts county coup
couple coupled couples coupling cour courage cours courses courtesy courts cous cousin coverage covering covers cow crack cracked crash crashed crate
craw crazy cream creat creates creating creation creative creativity creator creature creatures credit credits creep cref crew cri cricket cried crim
crime crimes criminal cris crisis crist criteria critic critical criticism critics critique crop crops crossed crossing crow crowd crowded crowds
crown cru crucial cruel cruise crush crushed crushing cry crying crypt crypto cryst crystal cual cuando cuatro cub cuenta cui cult cultiv cultural
culture cultures cups cure curiosity curious curl currently curriculum curse curt curve curves cush cust custody customers customs cute cuts cutting
cyber cycles cyl dabei dad dai daily dall dalla damage damaged damages damit damp dance dancing danger dangerous dann dans dare darkness dash dashed
dass datasets daughter daughters dav dawn deadline deadly deal dealer dealing deals dealt dear death deaths deb debate debris debt debut decade
decades decay dece december decent decid decide decided decides deciding decimal decis decision decisions declar declare declared decline declined
decom decor decorated decre decrease dedic dedicated deemed deeper deeply deer defaults defe defeat defeated defect defence defend defending defense
defensive defin defines defining definit definitely degli degrees dei dej delayed deleg delegate delet deleted deliber delicate delicious delight
delighted deliver delivered delivering delivery dell della delle dello demand demanded demanding demands democracy democratic demol demon demonstr
denen denied denomin denote denotes dens dense density dent dental dentro deny depart department departure depend dependence dependency depending
depends depicted deploy deployed deployment deport depos deposit depress depressed depression depuis deputy dere deren deriv derivative derived
dernier desarroll descend descent describe described describes describing descriptor desde desert deserve deserved deserves designated designed
designer designers designing designs desire desired desires desk desktop desp despair desper desperate despite destac destin destroyed destroying
destruct detailed detect detected detection detective detector deter determin determine determined determines deutschen deux devast developed
developer developers developing devices devil devoted deze dia diabetes diagn diagnosed diagnosis diagnostic diagonal diagram dial dialect dialogue
diam diameter diamond diary dic dice dich dici dictionary didn died dies diese diesem dieser diet dif difer differ difference different difficult
difficulty diffusion digest digging digit digital dign dignity dil dimension dimensions dimin din dining dinner dio dip diplom directed directions
directly director directors dirig dirt dirty disability disag disagree disappear disappoint disaster disc discipl discipline disclaimer disco discount
discover discovered discovery discre discret discrete discuss discussed discussing discussion dise disease diseases disgust dish dishes dismiss
dismissed disorder disorders dispar dispers displayed displays dispon dispos disput dispute disrupt diss disse distances distant distinct distingu
distract distress distribute district districts disturb dive diver divers diverse diversity divid divide divided divine divis division divisions divor
divorce diz django dla dock doctor doctors doctrine documented documents dod doesn dogs doing doit dok dol doll dollar dollars domains domestic domin
dominant dominated donc donde donne dont doorway dop dopo dorm dort dos dose dou doub doubt doubts dough dove dow downstairs downtown dozen dozens
draft dragged dragon drain dram drama dramatic drank drawer drawing drawings drawn draws dre dread dream dreams drei dress dressed dressing drew dri
dried drift drink drinking drinks driven drivers drives driving droit dropped dropping drops drove dru drug drugs drum drums drunk dry dtype dual dub
duck dude dug dull dummy dun duplicate dur durable durante durch during dust dut duties duty dwell dying dyn dynam dynamics dys eager earlier earliest
early earn earned earning earnings earth earthqu eas ease easier easiest easily east eastern easy eat eaten eating ebenfalls ecc econom economic
economics economy ecosystem edited editing edition editorial educated education eer eerste efect effects efficiency efficient effort efforts efter egg
eggs egy eigen eighteen ein eine einem einen einer eines either elabor elaborate elbow elder elderly elected election elections electric electrical
electro electron electronic eleg elegant elementary elev elevator eleven eligible elim eliminate eliminated elite ellos elseif elsewhere emails embar
embargo embedded embedding embod embrace emerge emerged emergency emerging emission emissions emot emotion emotional emotions emperor emphas emphasis
empire employ employed employee employees employer employers employment empower enabled enables enabling encontr encore encounter encourage encouraged
encryption encuent encuentra endless endorse endpoint enemies enemy energ energies enf enforce engage engaged engagement engaging engineer engineers
engines enhance enhanced enjoy enjoyable enjoyed enjoying enorm enormous enough ensemble ensuite ensures ensuring entered entering enterprise enters
entertain enthusi enthusiasm entire entirely entitled entonces entrance entropy enumer envelope environ epic epid epis episode episodes equality
equally equation equations equip equipment equipo equipped equity equival equivalent erh erre erst erste ersten escal escaped escort escrit espa espec
especial esper essay essays essence essential essere estaba establish estad estado estar estate estim estimate estimated estimates estimation estud
eternal ethical ethnic etwa europ europe evalu evaluate evaluated evaluation evangel evening eventually everybody everyday everyone everything
everywhere evidence evident evil evolution evolved exact exactly exagger exam examine examined examples exceed excell excellent exceptions excess
excessive exchange excit excited excitement exciting excl exclude excluded exclus exclusive excuse execut executed execution executive exempl exemple
exerc exercise exercises exh exhaust exhausted exhib exhibit exhibition existe existed existence exotic expanded expanding expans expansion expecting
expects exped expedition expend expense expenses expensive exper experi experience experiment expert expertise experts explain explained explaining
explains explan explicit explicitly explo explode explore explored exploring explos explosion exponent expos expose exposed exposure expressed extend
extended extending extends extensions extensive extent exterior extern extr extract extracted extrem extreme extremely eye eyeb eyebrows eyes fabric
faced facial facil facilitate facilities facility facing factors facts faculty fade faded failing fails failures faint fair faire fairly fais fait
faith faithful fal fallen falling fals fam fame famil familia familiar families famille famous fancy fans fant fantastic fantasy farm farmer farmers
farming farms farther fasc fashion faster fastest fat fatal fate fault fav favor favorite favorites favour favourite faz fear feared fears feas feat
featured featuring feder federal feedback feeding feel feeling feelings feels fees feet fell fellow felt fem female females femin femme fence ferm
fert fest festival fet fever few fewer fib fiber fict fiction fid fier fierce fif fifteen fifth fifty fight fighter fighters fighting fights figured
figures filed filing filling films fils filtered filters finale finally financ finance financial financing finding findings finds fine finest fing
finger fingers finish finishing finns fino fins fir fired fires firing firm firmly firms fis fiscal fishing fist fitness fits fitted fitting fixing
fixture flame flames flav flavor flaw fle fled fleet flesh flew flexible flick flies flight flights flip flo floating flood floors flour flower
flowers flowing flows fluid flux flying foam focused focuses focusing fog foi fois folded folks followed followers following follows fonction fond
foods fool foolish footage football foram forces forcing forecast forehead foreign forest forests forever forg forget forgive forgot forgotten fork
forma formal formally formats forme formerly formula forth fortunate fortune forty forum fos foss fost foster fot fou fought foul foundation founded
founder founding fourteen fourth fprintf fra fract fraction frag fragment fragments fram franc franch franchise frank fraud freak freed freedom freely
freeze frequ frequent frequently fres fresh friendly friends friendship fright frightened fro frowned frozen fruit fruits frustrated fue fuel fuer
fueron fulfill functional fundament funded funding funds funeral funny furn furniture further fus fusion fut gab gained gaining gains galaxies galaxy
gall gallery gam gambling games gaming gap gaps garage garbage gard garden gardens garlic gates gather gathered gathering gauge gave gaz gaze gear
gebru gef gegen gek geld gele gene generally generated generates generating generation generator generous genes genetic genius genom genre gentle
gentleman gently genu genuine genuinely genus geometric gep germ gesture getting gev ghost giant gibt gift gifts gig gir girlfriend girls give given
gives giving glad glance glanced glasses gleich gli glimpse glo globe glory gloves glow goal goals gods goes gol golden golf gone gonna goodness goods
gorge gorgeous gotta gotten gover govern governed governing government governor gown grab grabbed grace gradient gradu gradually graduated grain gran
grande grandes grant granted grants graphic graphics graphs gras grasp grass grat grateful gratitude grave gravity great greater greatest greatly
greed greeted grew grey gri grief grim grin grinding grip grocery groom gross grounds groupe grow growing grown grows growth grupo guarante guarantee
guaranteed guards guerra guess guessed guest guests guidance guide guided guidelines guides guilt guilty guitar guns gut guy guys gym haar haben haber
habit habitat habits hace hacer hacia hack hade hadn hair halfway hallway hammer handed handful handled handles handling hands handsome handy hanging
hanno hans happ happen happened happening happens happily happiness happy harder hardly hardware harm harmful harmon harmony harsh harvest hasn hass
hast hasta hate hated hatred hatte haul haut hav haven having hay haz heal healing healthcare healthy hear heard hearing hearts heat heated heating
heav heaven heavily heavy hecho heeft heels helmet helped helpful helping helpless helps hely hence heritage heroes hers herself heter heute hey
hiding hier hierarchy higher highest highlight highlights highly highway hij hills himself hint hips hired hiring histor historia historian historic
historical hits hitting hockey hogy holding holes holiday holidays hollow holy homeless homem homes homework homme hommes honest honestly honey honor
honour hoof hope hoped hopefully hopes hoping horizon horm horrible horror hors horse horses hosp hospital hospitals hosted hostile hosting hosts
hotel hotels hours hous household households houses housing however hug huge humanity humans humor hun hundred hundreds hunger hungry hunt hunting hur
hurried hurry hurt husband hybrid hydro hyp hypothesis ideal ideas identical identified identify idle ignor ignorance ignorant ignored ignoring ihm
ihn ihr ihre ihren ihrer ikke illegal illness illusion imagin imaginary imagine imagined immediate immense immigrants immune impact impacts imped
imper imperial implements implicit implied implies imply importance importante imported imports imposed impossible impress impressed impression
impressive imprison impro improve improved improving inaug incap incent inches incident incidents inclined includ included inclusion inclusive income
incoming incon incons incor incorpor incorrect incre increase increased increases increasing incred incredible incredibly increment indeed indent
independ indic indicate indicated indicates indicating indication indicator indices indirect individ individual indoor indu induced indul industrial
industries industry inequality inev inevitable infant infect infected infection infer inferior infinite infl inflation influ influence influenced
influences inform informed inhab inhabit inher inherited inhib initially initiated initiative inj inject injection injured injuries injury innoc
innocent innov innovation innovative insane insect inserted inside insight insights insist insisted inspect inspection inspir inspire inspired
installed instanceof instances instant instantly instead instinct instr instruct instructor instrument insult insurance intact integral integrate
integrated integrity intellect intellig intend intended intens intense intensity intent intention intentions interact interested interests interior
internet interrog interrupt intervals interven interview interviews intim intimate intimid intr intro introdu introduce introduced invariant invasion
invent invented invention inventory inverse invest invested investig investing investment investors invisible invitation invite invited invoke invoked
invol involve involved involves involving irre irrelevant irrit isinstance island islands isn isol isolated isolation issued italiano iteration itself
jaar jacket jag jail jak jako jam jamais janvier javax jaw jazz jealous jeans jed jedoch jego jej jel jest jewel jewelry jobs jog joined joining joke
jokes jou journalist journey judge judges judgment jug juice juin jul jump jumped jumping jun juni junior junk junto jur jury jusqu justice justified
justify kam kann keen keeps keine kept keyboard keywords kick kicked kicking kid kidn kids killed killer killing kills kilomet kilometres kinda
kindness kinds kingdom kings kiss kissed kitchen klass klik klub kne knee knees knew knife knock knocked knowing knowledge knows kole kommun konnte
kont kter kun kur labeled labor laboratory labour lac lack lacking ladder ladies lado lady laid lake lamp landed landing landsc landscape languages
laptop largely larger largest laser lasted lasting lately later latter lattice laugh laughed laughing laughter launch launched laundry lavor lawn laws
lawsuit lawyer lawyers layers laying lazy lead leader leaders leadership leads league leak leaned leaning leap learned least leather leaves leaving
lecture legacy legally legend legendary legis legisl legit legitimate legs lemon lengths lens lesser lesson lessons letters letting leur leurs levels
lever leverage liability liber liberal libert liberty libraries libre libro licensed licenses lid lied liegt lies lieu lieutenant lif lifestyle
lifetime lift lifted lifting lighter lighting lightly lightning ligne liked likelihood likes likewise limitation limiting lingu lion lip lips liqu
liquid listened listener listeners listening listing literally literary literature litt litter little lived liver lives living llam lleg llev loads
loan loans lob lobby locally locals locate located locations locks lod logged logic logical lol lonely longer longest longitud looked looks lookup
loops loose loro lors lose losing losses lost lots lou loud loudly loved lovely lover lovers loves loving lowered lowest loyal loyalty lub luc luck
lucky luego lug lugar lui lum lun lunch lungs lur lut lux luxury lyrics maar mach machinery machines macro madre magazine magazines magic magical magn
magnet magnetic magnitude mai maid mainly mainstream maint maintain maintained mais maj majority makes makeup male males mamm manage managers managing
mandatory manera manifest manifold manip manner mant manual manually manufact manus manuscript mapped mapping marble marca march marg marginal mari
marijuana marine marked marker marketing markets marriage married marry mars marvel marzo mascul masks massage masses massive mast masters matching
mater materials matrices matt matter matters mattress mature maxim maximal maximum mayo mayor meal meals meaning meaningful means meant meantime meas
measured measures measuring meat mechan mechanical mechanics mechanism mechanisms medal median medic medical medication medicine medieval medio
meditation meer meet meeting meetings meets meg mehr meille mejor melod melt membership membres memo memor memorable memorial memories menos mens
mental mentally mention mentioned mentre merc merch merchant mercy mere merely merged mess metal metall meter meters meth metres micro midnight midst
mie miejsc mientras mig might migration migrations mild miles milit militar military milk million millions mim minds miner mineral mines mini minim
minimal minimize minimum mining minist minister ministry minor minority mint minut minute minutes miracle mirror mis mise miser miserable mism mismo
missed missions mist mistake mistaken mistakes misunder mixed mixing mixture mob mobil mobility modeling moder moderate modern modes modest modify
modo mog moins mois moist moisture mol mold mole molecular molto mom momento moments momentum monde money monitor monitoring monster monthly months
monument mood moon moral morning morph mort mortgage mostly mothers motion motiv motivated motivation motor mou mountain mountains mounted mour moved
movement movements moves movie movies moving moy much mud muj multip mum mundo municip municipal mur murm muscle muscles museum mush music musical
musician musicians mutual muy myself myst mysterious mystery myth naam naar nach nacional nad nag nail nails naj namely nap narr narrative narrow nast
nasty nation national nations natur naturally nature nau naval navig navigate navy naz near nearby nearest nearly neat neces necess necessity neck
needed needing needle needs neglect nei neigh neighbor neighbors neighbour neither nella nelle nem nep nerv nerve nerves nervous nest nested
networking networks neu neue neuen neur neural neuro neut neutral newer newest newly newsp newspaper newspapers nicely nicht niet nightmare nights nin
nine nineteenth niveau nob noble nobody noch nodded nog noise nombre nome nomin nominated nons nonsense noon nord normalized normally north northern
nose notable notably notamment notebook noted nothing noticed notify noting notion nou nous nouve nouveau nouvelle novel novels november novembre
nowhere nucle nuclear nue nuevo nullptr numbers numerical numero numerous numpy nun nur nurse nurses nursing nutrition nuts oak obey objective
objectives objet oblig obligation obra obsc observe observed observer obst obt obtain obtained obtaining obten obvious obviously occas occasion
occasional occasions occupation occupied occur occurred occurring occurs ocean ocup odds offense offensive offer offered offering offers offic office
officer officers offices official officially officials oficial often ohne oil okay oldest olive onclick ongoing opacity opened opening openly opera
operand operate operated operates operating operators opin opinion opinions oppon opponent opponents opportun oppos opposed opposite opposition
optical optimal opts orange oraz orbit ordering ordin ordinary organic organis organiz organize organized originally origins oscill otherwise otra
otras otro otros ourselves outbreak outcome outcomes outdoor outfit outline outlined outputs outrage outside overall overcome overhead overl overlap
overlook overnight overs overse overseas overview overwhel ownership owns oxygen pac packages packaging packed packet packets packing padre pagina
pain painful paint painted painter painting paintings pairs palace pale palm pam pand pandemic panels pant pants pap papers parad paras parc parish
parked parking parks parl parliament parsed parte parti partially partic particip particle particles particular partie parties partir partly partner
partners passage passed passenger passengers passes passing passion passionate passive past paste patches patent patience patients patri patrol patron
patterns paused paying payments pays peace peaceful peak peaks pear peas peculiar peers pela pelo penal penalty pendant pens pension pentru peoples
pepper peque perceived percentage perception perd perf perfect perfection perfectly performed performing performs perhaps periodic periodo periods
perman permanent permet permission permit permitted pero perpet persistent persona personally personas personnel persons persu petit petition pets peu
peut phases phen phenomen phenomenon phil philosoph philosophy phot photograph photos phrases physical physically physician physics pian piano picked
picking picks pict pictures pieces pied pier pierws pig pil pile pill pillow pills pilot pilots pine pink pint pione pip pipeline pir pist pistol
pitch pity pixel pixels pizza plaats plac placed places placing planes planet planets planned planning plans planted plants plasma plastic plat plate
plates platforms played players playing plays pleasant please pleased pleasure plenty plt plural plusieurs pob pobl poc pocket pockets poco podcast
pode poder poem poems poet poetry poi pointed pointing poison pok poker polar pole polic police policies polite political politician politics
politique pollution polynomial pom pont poor poorly popped popul popular popularity population porch porque portable portfolio portion portions
portrait posit positioned positions positive possess possessed possession possibly posted poster posterior posting posto potatoes potential pou pound
pounds pour poured pov poverty powder powered powerful powers poz pra prac pract practical practice practices practicing practition praise praised
pray prayer prayers prec preced precious precip precise precisely precision predecess predicted prediction predomin pref prefer preference preferred
preg pregn pregnancy pregnant prejud prem premier premium prend prep prepar prepared preparing presence presented presenting presents preserve
preserved president presidente pressed pressing pressure prest presum presumably pretend pretty preval prevent prevented preventing prevention
prevents preview previously prey pri prices pricing pride priest priests prima primarily primer primera primitive primo prin prince princess princip
principal principle principles printed printer printing prior priorities prison prisoner prisoners privacy privile privilege prize probable probably
probe proble problem problems proced procedure procedures proceed proces processed processes produce produced producer producers produces producing
productive profes profess profession professor profiles profitable profits profound programa programme programs prohib projected projection projet
prolong prominent promise promised promises promising promot promote promoted promoting promotion prompt pron pronounced propag propaganda proper
properly proport proportion propos proposal proposals propose proposed propri propriet pros prospect prospects prosper prost protagon prote protect
protecting protection protective protein protest protests prototype proud prove proved proven proves provide provided providers provides providing
province provincia provincial provision provisions provoc prow prv prz prze przed przez przy pseud pseudo psych psychology publi publicly publish
publisher publishing pued puede pueden puis pul pulled pulling pulls puls pulse pump pun punch punct punishment punk punt punto pup purch purchase
purchased purchases purchasing pure purely purple purpose purposes purs pursue pursuit pushed pushing puts putting puzz puzzle quadr quale qualified
qualify qualities quand quando quantities quantity quantum quar quart quarter quasi quatre qued queen quella quelques queries questa questioned
questions questo qui quickly quien quiet quietly quit quite quoted quotes race races racial racing rack radar radi radial radiation radical rail
railway rain raised raises raison rally ramp ranch randomly rang ranges ranging ranked ranking ranks rapid rapidly rapp rapport rare rarely rates
rather ratings rational rav reached reaches reaching reaction reactions readers readily reading readonly reads realise realised realistic reality
realiz realize realized realizing really realm rear reasonable reasonably reasoning reasons reass rebel rebell recall recalled rece receive received
receiver receives receiving recent recently reception recher recib recip recipe recipes recipient recognised recognize recognized recomm recommend
recon reconc recorded recording recover recovered recovery recruit rectangle recuper recur recycl rede redu reduced reduces reducing reduction
references referred referring refers reflected reflection reflects reform refriger refuge refugees refund refuse refused regard regarded regarding
regardless regards regime regional regions registered registers regret regul regularly regulation regulatory rehe reign rein reinforce reject rejected
rejo relate relating relations relativ relatively relatives relax relaxation relaxed relaxing relay rele released releases releasing relev relevant
reli reliable relief relieved relig religion religious reluct rely remain remainder remained remaining remains remarkable remarked remember remembered
remind reminded reminder reminds remot removal removed removing renamed rendered rendering renew renov rental repair repairs repe repeated repeatedly
repet repl replaced replacing replied reported reporter reporters reporting reports represent represents reprodu reproduce republic reput reputation
requested requires requiring resc rescue research reserv reserve reserved reserves resid residence resident residents resign resigned resist
resistance resolution resolved reson resort respected respective responded responding responses restart restaur restaurant reste rested resting
restore restored restrict restricted resulted resulting resume retail retain retained retire retired retirement retour retreat retrieve retro returned
returning reun reve reveal revealed revealing reveals revel reven revenge revenue rever revers reviewed reviews revision revolution reward rewards
rhet rhs rhythm ridiculous riding rifle rights rigid rings ripped rising risk risks ritual rival rivers roads robot robust rocks rode rodz roi roku
roles rolls roman romance romantic roof roots rope roughly rounded rounds rout routine royal rubbed rubber rude rue rugby ruin ruined ruled ruling
rund runs rural rush rushed rushing russ sab sac sacred sacrific sacrifice sad saddle sadly saf safely safer safety sag sage said sail saint sake
salad salary sale sales salt salv samples sampling sanct sand sandwich sang sank sans sap sar satellite satisf satisfied satisfies satisfy satisfying
sau sauce sav saved saves saving savings saw saying says scal scalar scales scaling scandal scared scary scatter scattered scattering scen scenario
scenarios scenes scent sche schedule scheduled scheme schemes scholar scholars schon schools sciences scient scientific scientist scientists scored
scores scoring scrap scratch scream screamed screaming screening screens screw scrub sculpt seal sealed seam searched searching seas seasons seat
seated seats secondo secre secretary secrets sect sections sector sectors secured sedan sede seeds seeing seeking seeks seem seemed seemingly seems
sees segments segu segunda segundo sehr sei sein seine seinem seinen seiner seit seiz seized selbst sele selecting selfish sell seller selon semi
sempre sending sends senior sens sensation sense senses sensible sensitive sensor sensors sentence sentences sentiment separ separate separated
separately separation sept september septembre sequences sera serie serious seriously servant servants served servers serves serving sessions sett
settle settled settlement seu seus sevent seventh seventy sever several severe severely shade shadows shaft shaking shallow shame shaped shapes shar
shares sharing sharp sharply shed sheep sheer sheets shel shelf shelter shelves shield shifted shifting shifts shining shiny shipped shipping ships
shirt shock shocked shoe shoes shook shoot shooting shopping shops shorter shortly shorts shoulder shoulders shouldn shout shouted shouting showed
shower showing shown shows shr shrugged shut shy sia siblings sich sick sides sidewalk sido sie siendo sigh sighed sight signals signature signed
signific signing signs sigu silence silent silently silk silly silver similar similarly simpl simpler simplicity simply simulation sinc sind singer
singing singles singular sink sip sir sist sistema sister sisters sit sites sits sitting situ situated situation situations sixteen sixth sixty sizes
ske sketch skilled skills skirt skull skulle sla slammed slaughter sle sleeping sleeve slept slic slid slides sliding slight slightly slim slip
slipped slope slots slow slowed slower slowly smaller smallest smell smelled smile smiled smiles smiling smoke smoking smooth smoothly snake snap
snapped snapshot sne sniff snow soap sob sober sobre soc soccer soci societies society sock socks sod sofa softly software sog soil soit solar sold
soldier soldiers solely soll solo solution solutions solve solved solving somebody somehow someone sometime sometimes somewhat somewhere song songs
sono sons sont soon sooner sop soph sor sore sorry sorted sorts sost sotto sou sought soul souls sounded sounds soup sour sources sous sout south
southern souvent sovere sow sowie spaces spare spark spat spatial spawn speak speaker speakers speaking speaks specialist species specified specify
spectra spectral spectrum speech speeds spel spell spend spending spent sphere spine spinning spir spirit spirits spiritual spite spl splitting spo
spoke spoken spokes spons sponsored spont spoon sport sports spots spotted spouse spr spraw spray spread spreading sprint sprintf spun spy squ squad
sque squeezed staat stab stabil stability stadium stag stages stagger stain stair stake stalk stamp standards stands stare stared staring stark stars
started starting starts startup stata stated statements stating stations statist statistics stato statt statue stay stayed staying stays steady steal
steam steel steep steht stellar stem stepped stepping stere stern stesso sticking sticks stiff still stim stir stocks stole stolen stom stomach stones
stopped stopping stops stor stored stores stories stove straight strain strang strange stranger strangers strat strateg strategic strategies strategy
straw streak streaming streams street streets strength strengthen strengths stress stressed stret stretch stretched strictly stride strike strikes
striking stripped strlen stro stronger strongest strongly struck structural structured structures strugg struggle struggled struggles struggling stub
stuck students studied studies studio study studying stuff stuffed stumbled stunning styled sua subjects submar submission submitted subs subsequent
subst substance substant substitute substr subtle suc succ succeed succeeded successful sud sudden suddenly sue suff suffer suffered suffering
sufficient suffix sug sugar suggest suggested suggesting suggestion suggests suit suitable suited suits suiv sul sulla summar summer summit summon
sung sunlight suo suoi superior supers supp supplement supplied supplier suppliers supplies supply supporters supporting supportive supports suppose
supposed suppress sure surely surf surfaces surg surge surgery surpr surprise surprised surprising surrender surround surrounded surv surve survey
surveys surviv survival survive survived surviving survivors sus suscept susp suspect suspected suspend suspended suspension suspicion suspicious sust
sustain sustained swallow swallowed sway swe swear sweat sweep sweet swept swift swim swimming swing switched switching swo sword swung symbols
symmetric symmetry sympathy sympt symptoms synchron synd syndrome synt syntax synthetic syst systematic systems szer tables tablet tack tackle tact
tactics tak taken takes taking tale talent talented talents tales talked talking talks tall tam tamb tand tang tank tanks tant tanto tap tape tard
tarde targeted targets tart tast taste tastes tattoo taught taxes taxi tea teach teacher teachers teaches teaching teams tear tears teas technical
technique techniques technology tecn teenager teens teeth tegen tel telephone television tell telling tells temper templ templates temple tempo tempor
temporal temporary temps tempt tend tendency tender tends tennis tens tense tension tensor tent terminal terms terr terrain terrible terrified
territory terror tested testimony texts texture thank thanks thats theater theatre theft their them themes themselves theorem theoret theories theory
therap therapist therapy thereby therefore therm thermal these thesis thick thickness thigh thin things thinking thinks thirteen thirty thorough
thoroughly those thou thought thoughts thousand thousands thr threads threat threatened threats threw thro throat throne throughout throwing thrown
thrust thunder thus tick ticket tickets tide tie tied tiempo tiene tier tight tightly tijd tile tiles till tilt timeout timing tin tipo tips tir tire
tired tires tissue titled titles titre toast tob tobacco tod toda todas today todo todos toe toes together toile toilet tokens told toler tolerance
toll tomb tomorrow tone tong tongue tonight took tooth topics tops torch torn tort toss tossed totally tou touchdown touched touches touching tough
toujours tour tourist tourists tournament tours tous tout toute toutes tow toward towards towel tower towns toxic toy toys trab trabaj traces tracing
tracking tracks tract trad trade traded traders trading tradition traditions traff traffic trag traged tragedy tragic trail trailer trailing trails
trained trainer trains trait traits tram transc transit transl translated transmit trap trapped trash trat trauma trav travail travel traveled
traveling travelling travels travers tray treasure treat treated treating treatment treatments treats trees trem tremend tremendous tren trend trends
tres trial trials triangle trib tribe tribes trick tricks tried tries triggered trip triple trips triumph trivial tro trois troops trop tropical trou
trouble troubles trouve truck trucks truly trump trunc trunk trust trusted truth trying tub tube tucked tug tum tun tune tunnel tur turb turned
turning turns tut tutorial tutti twe twee twelve twentieth twenty twice twin twist twisted tym typed typedef typical typically typing ubic ugly
ultimate ultimately ultra unable uncertain uncle underlying underneath unders understand understood undert unexpected unf unfair unhappy uniqu united
univers universal universe university unless unlike unlikely unlock unm unos unre unsafe unters unus unused unusual unw upcoming updates updating
upgrade upon upright upset upstairs upward urban urge urged urgent useful useless usize usual usually utilis utility utiliz utilize utilized utilizing
utterly vac vacation vacc vaccine vacuum vague vagy vain vale valley valor valuable valued vamp vanished variance variation variations varied varies
varieties variety various vary varying vast vault vectors veget vegetables vehicle vehicles veloc velocity vend vendors venture verd verified verk
versch verschied versus vertices verw vess vessel vessels veter veteran veterans viable vibr vic vice vict victim victims victory vida vide videos vie
viene viewed viewers viewing vig vill village villages vine vintage viol violation violence violent virtually virtue virus visa visibility visited
visiting visitor visitors visits vista visual vit vita vital viv vivid voc vocal vocals voices volatile voll volta voltage volumes volunt volunte
volunteer volunteers vom von voor vot voted voters votes voting vous voy voyage vul vulner vulnerable waar wage wages wagon waist waited waiting wake
walked walking walks wallet walls wanna wanted wanting wants warehouse waren warm warmth warn warned warnings warrant warranty warrior warriors wars
wash washed washing wasn waste wasted wat watched watches watching waters waved waves wax weakness wealthy weapon weapons wearing weather webs website
websites wedding weed weekend weekly weeks weigh weird weit weiter weitere wel welcome welcomed welfare wenn went werd werden weren wet whatever whe
wheat wheels whenever whereas wherein wherever whether whilst whisk whisper whispered whites whoever whole wholes whom whose widely wider widespread
wieder wife wild wildlife willing winds wine wings winner winners winning wins winter wiped wir wird wireless wis wisdom wish wished wishes witch
withd withdraw withdrawal within witness witnessed witnesses wives woke wolf women wonder wondered wonderful wondering wooden woods wool worden wordt
wore worked workout workplace workshop workshops workspace worlds worldwide worm worn worried worries worry worrying worse worship worst would wouldn
wound wounded wounds wrapped wreck wrest wrist writ writers writes wrong wrote wsp wur wurde wurden wyn wyst yards yeah years yelled yellow yesterday
yet yield yields yoga young younger youngest yours yourself youth zaj zak zam zap zaw zich zijn zona zones zum zur zusammen zwe zwei zwischen
`;

/**
 * Words that are one token each both with a leading space and without it, at the start of a text and after a line break
 * (Qwen 3, Llama 2, Llama 3, DeepSeek V3, Gemma 3, GPT-4o, gpt-oss); sorted.
 *
 * The first word of every message comes from here: chat templates such as Llama 3's and Gemma 3's trim a message, which takes the
 * first word's space. Llama 2 puts a space of its own before a text but none after a line break, so its bare form is required too.
 */
export const HEAD_WORDS: readonly string[] = HEAD.trim().split(/\s+/);

/**
 * {@link HEAD_WORDS} first, then the rest: an index below HEAD_WORDS.length is one of them.
 *
 * Lower-case words of 3 to 10 letters, each exactly one token with its leading space, wherever it stands between other such words
 * (Qwen 3, Llama 2, Llama 3, DeepSeek V3, Gemma 3, GPT-4o, gpt-oss).
 *
 * `' ' + words.join(' ')` therefore has one token per word. Llama 2 alone adds one at the very start, none when the text is trimmed.
 */
export const WORDS: readonly string[] = [...HEAD_WORDS, ...BODY.trim().split(/\s+/)];
