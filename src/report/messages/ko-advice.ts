import { howToReport } from '../../core/answer/dialects.js';
import type { ComparisonFindingCode } from '../../core/compare/comparison-finding-codes.js';
import type { ReasonCode } from '../../core/compare/reasons.js';
import type { FindingCode } from '../../core/measure/finding-codes.js';

interface Advice {
  readonly title: string;
  readonly advice: string;
}

/** Title of each finding of a trial, cell or comparison, and what to do about it, in Korean. */
export const KO_FINDINGS: Readonly<Record<FindingCode | ComparisonFindingCode, Advice>> = {
  contaminated: {
    title: '오염된 시행',
    advice:
      '이 시드에 대해 캐시가 이미 데워져 있었습니다. --salt random으로 다시 실행하거나(길이는 같고 글은 새것) 캐시를 비우십시오.',
  },
  'warm-despite-salt': {
    title: '솔트를 썼는데도 데워진 캐시',
    advice:
      '솔트로 글이 새것이므로 이전 실행이 캐시에 남긴 것이 아닙니다. 이 실행의 앞선 변형, 미러나 재시도가 남겼거나, 프리픽스 앞의 무언가가 함께 캐시됩니다. 변형 사이에 서버를 다시 시작하십시오(변형의 setup과 teardown).',
  },
  'cached-tokens-from-decode': {
    title: '캐시 토큰을 디코드 워커가 보고함',
    advice:
      '프리필 워커에서 프롬프트를 통째로 받는 디코드 워커의 수치이므로 적중률을 낼 수 없고, 시간은 그대로 유효합니다. 적중률은 프리필 워커나 라우터에서 읽으십시오(--metrics-url).',
  },
  'cached-tokens-impossible': {
    title: '있을 수 없는 캐시 토큰',
    advice:
      '프롬프트보다 많은 토큰이 캐시되었다는 응답이 너무 많아 하나씩 뺄 수 없습니다. 적중률은 낼 수 없고, 시간은 그대로 유효합니다. 서버가 스스로 센 값과 견주십시오(--metrics-url).',
  },
  'prompt-tokens-without-cached': {
    title: '캐시 토큰이 빠진 prompt_tokens',
    advice:
      '대상이 캐시 토큰을 prompt_tokens에 넣지 않고 따로 세므로 둘의 비율은 뜻이 없습니다. 적중률과 시간은 그대로 유효합니다.',
  },
  'prompt-tokens-short': {
    title: '보낸 것보다 적은 prompt_tokens',
    advice:
      '보낸 단어보다 적은 토큰을 셉니다. 대상이 프롬프트를 자르거나(컨텍스트 길이를 늘리거나 --prefix-tokens와 --tail-tokens를 줄이십시오) 세지 않습니다. 잘렸다면 시간은 더 짧은 프롬프트의 것입니다.',
  },
  'nothing-cached': {
    title: '아무것도 캐시되지 않음',
    advice:
      '프리픽스 캐시가 켜져 있고 --block-size가 서버와 같습니까? 블록보다 짧은 프리픽스는 적중할 수 없고, 프리픽스 앞이 다른 프롬프트(채팅 템플릿의 날짜나 id), 해시 시드가 다른 워커, 프리픽스 하나도 담지 못하는 캐시도 그렇습니다.',
  },
  'impossible-counts': {
    title: '있을 수 없는 수치의 응답',
    advice:
      '캐시 수치는 이 응답들을 뺀 것입니다. 선점되었다가 다시 시작된 요청의 캐시 토큰을 두 번 세는 엔진이 있습니다.',
  },
  interrupted: {
    title: '중단된 시행',
    advice: '시행이 끝나기 전에 멈췄습니다. 같은 명령을 --resume과 함께 다시 실행하십시오.',
  },
  'no-ok-request': {
    title: '성공한 요청 없음',
    advice: '모든 요청이 실패했습니다. requests.jsonl의 error.message와 대상의 로그를 읽으십시오.',
  },
  'missing-trials': {
    title: '빠진 시행',
    advice: '이 셀은 채택된 시행이 반복 수보다 적습니다. 다시 실행한 뒤에만 비교하십시오.',
  },
  'mixed-cached-tokens': {
    title: '섞인 cached_tokens',
    advice:
      '일부 응답만 cached_tokens를 담고 그중 0이 없습니다. 대상이 0을 생략할 수 있어 적중률을 낼 수 없고, 시간은 그대로 유효합니다. --dialect auto로 다시 실행해 확인하게 하십시오.',
  },
  'missing-records': {
    title: '기록 누락',
    advice: 'requests.jsonl에서 이 시행의 줄이 사라졌습니다. 원본에서 다시 읽거나 시행을 다시 실행하십시오.',
  },
  'stream-gathered': {
    title: '뭉쳐서 온 스트림',
    advice:
      '도중의 무언가가 스트림을 모읍니다(버퍼를 쓰는 프록시, 압축, 시간 단위 전송). TTFT는 뭉치가 차는 만큼 첫 토큰보다 늦고, 간격은 뭉치 사이의 것입니다. 버퍼링을 끄거나 E2E와 처리량을 비교하십시오.',
  },
  'long-drain': {
    title: '길게 늘어진 끝',
    advice:
      '시행 전체의 처리량은 이 부하의 것이 아닙니다. 느린 마지막 응답 몇 개가 늘였습니다. --requests를 늘리고, 무엇이 느리게 했는지 찾으십시오.',
  },
  'slots-held': {
    title: '끝난 뒤에도 잡힌 슬롯',
    advice:
      '대상이 마지막 토큰 뒤에도 응답을 열어 두어, 처리량이 슬롯 수와 E2E로 가능한 것보다 낮습니다. 스트림을 늦게 끝내거나 연결을 붙들고 있는지 확인하십시오.',
  },
  'concurrency-not-reached': {
    title: '도달하지 못한 동시성',
    advice: '시행의 요청 수가 동시 요청 수보다 적습니다. --requests를 동시성의 열 배 이상으로 올리십시오.',
  },
  'not-streamed': {
    title: '스트리밍되지 않음',
    advice:
      '답 전체가 한 번에 도착해 TTFT가 E2E와 같으므로 TTFT와 TPOT은 내지 않으며, E2E와 처리량은 그대로 유효합니다. 대상의 스트리밍이 꺼져 있거나 프록시가 모으고 있는지 확인하십시오.',
  },
  'workers-changed': {
    title: '바뀐 워커',
    advice:
      '그 앞뒤의 시행은 같은 클러스터에서 측정한 것이 아닙니다. 모든 워커가 준비될 때까지 기다린 뒤 다시 실행하십시오.',
  },
  'failed-requests': {
    title: '실패한 요청',
    advice: '수치는 성공한 요청만의 것입니다. 느린 요청을 잃는 방식은 빨라 보입니다.',
  },
  'prompt-tokens-spread': {
    title: 'prompt_tokens의 편차',
    advice:
      'prompt_tokens는 계획과 상수 하나(채팅 템플릿)만 달라야 합니다. 이 토크나이저는 일부 단어를 쪼개므로 길이가 정확하지 않습니다.',
  },
  'output-tokens-differ': {
    title: '출력 길이가 다름',
    advice:
      '응답이 --output-tokens 전에 끝났습니다. E2E와 처리량은 어디서 끝났는지에 달렸습니다. ignore_eos를 설정할 수 있는 dialect를 쓰십시오.',
  },
  'cached-tokens-not-reported': {
    title: 'cached_tokens가 보고되지 않음',
    advice: `적중률을 낼 수 없습니다. 서버가 보고하게 하십시오(${howToReport('cachedTokens')}). 0을 생략하는 서버가 한 번도 적중하지 않은 경우도 똑같이 보입니다.`,
  },
  'cached-tokens-partly-reported': {
    title: 'cached_tokens가 일부만 보고됨',
    advice: '적중률과 비율은 cached_tokens를 보고한 요청만의 것입니다.',
  },
  'held-first-token': {
    title: '붙들린 첫 토큰',
    advice:
      '대상이 Nagle 알고리즘을 켠 채(TCP_NODELAY 없이) 보내는 것으로 보입니다. 적중처럼 응답 헤더 뒤 40 ms 안에 준비된 첫 토큰은 지연된 ACK를 기다리고 미적중은 기다리지 않으므로, TTFT에는 실제 이득보다 작게 나타납니다. 대상에서 TCP_NODELAY를 켜거나, 리눅스 클라이언트에서 그 경로의 지연 ACK를 끄십시오(docs/client.md).',
  },
  'servers-disagree': {
    title: '서버의 집계와 다름',
    advice:
      '서버는 다른 요청까지 세었습니다. 다른 누군가가 클러스터를 쓰는지, --metrics-url에 빠진 서버가 있는지, 캐시하는 쪽이 아닌 다른 쪽(프리필과 디코드)을 응답이 보고하는지 보십시오(docs/server-metrics.md).',
  },
  'server-restarted': {
    title: '서버가 다시 시작됨',
    advice: '시행 중에 서버가 빈 캐시로 다시 시작했습니다. 다시 실행하십시오.',
  },
  'requests-preempted': {
    title: '요청이 선점됨',
    advice:
      '캐시가 가득 차 요청이 처음부터 다시 처리되었으므로, 시간에는 두 번 한 일이 들어 있습니다. 부하를 낮추거나 엔진의 캐시를 늘리십시오.',
  },
  'block-size-differs': {
    title: '블록 크기가 다름',
    advice: '상한과 잃은 적중이 틀린 블록 크기로 계산됩니다. --block-size를 빼면 서버가 알린 값을 씁니다.',
  },
  'client-limited': {
    title: '클라이언트가 한계',
    advice:
      '이 시간의 일부는 서버가 아니라 클라이언트의 것일 수 있습니다. --concurrency를 낮추거나, 빈 코어가 있으면 --threads를 늘리거나, 이 기계의 다른 작업을 멈추십시오. kvbench doctor --client가 이 기계의 한계를 알려 줍니다.',
  },
  'workload-differs': {
    title: '워크로드가 다름',
    advice: '한쪽을 같은 시드, 길이, 요청 수로 다시 실행하십시오. --salt만 달라도 됩니다.',
  },
  'model-differs': { title: '모델이 다름', advice: '한쪽을 같은 --model로 다시 실행하십시오.' },
  'output-lengths-differ': {
    title: '출력 길이가 서로 다름',
    advice: 'E2E와 처리량이 이에 달렸습니다. 양쪽 모두 길이를 고정하는 dialect(ignore_eos)를 쓰십시오.',
  },
  'client-settings-differ': {
    title: '클라이언트 설정이 다름',
    advice: '한쪽을 다른 쪽의 설정으로 다시 실행하십시오.',
  },
  'clock-differs': { title: '시계가 다름', advice: '시뮬레이션 시간과 실제 시간은 비교할 수 없습니다.' },
  'success-sets-differ': {
    title: '성공한 요청의 집합이 다름',
    advice: '느린 요청을 잃는 방식은 빨라 보입니다. 왜 실패했는지 찾은 뒤 다시 실행하십시오.',
  },
  'no-common-cell': {
    title: '공통 셀 없음',
    advice: '둘 다 같은 프리픽스 수와 부하로 실행하십시오.',
  },
  'percentile-unsupported': {
    title: '백분위수를 말하기에 요청이 부족함',
    advice: '요청 100건 미만의 p99는 최댓값과 거의 같습니다. --requests를 늘리십시오.',
  },
  'run-incomplete': {
    title: '끝나지 않은 실행',
    advice: '--resume으로 실행을 마치거나, 있는 것만 알고서 비교하십시오.',
  },
  'few-failures-differ': {
    title: '소수의 실패가 다름',
    advice: '지연은 성공한 요청만의 것입니다. 잃은 요청 하나에 p99가 달릴 수 있습니다.',
  },
  'conditions-changed': {
    title: '여러 조건이 바뀜',
    advice: '차이를 그중 하나의 탓으로 돌릴 수 없습니다. 한 번에 한 조건만 바꾸십시오.',
  },
  'versions-differ': {
    title: '버전이 다름',
    advice: '차이가 거기서 올 수 있습니다. 한 기계에서 한 버전으로 다시 실행하십시오.',
  },
  'reading-differs': {
    title: '캐시 값을 읽는 방식이 다름',
    advice: '적중률의 뜻이 다를 수 있습니다. --dialect auto로 다시 실행해 둘 다 확인하게 하십시오.',
  },
  'asked-differently': {
    title: '요청 본문이 다름',
    advice: '보고만 요청하는 필드라 수치를 바꾸지 않겠지만, 요청이 같지는 않았습니다.',
  },
  'cells-differ': { title: '셀이 다름', advice: '둘 다 측정한 셀만 비교합니다.' },
  'repeats-left-out': { title: '빠진 반복', advice: '둘 다 채택한 반복만 비교합니다.' },
  'one-repeat': {
    title: '반복이 하나',
    advice: '반복 사이의 차이를 알 수 없어 판정이 없습니다. --repeats 3 이상으로 실행하십시오.',
  },
  'same-run': { title: '같은 실행', advice: '실행은 자기 자신과 다르지 않습니다.' },
  'grid-only': {
    title: 'grid.csv만 있음',
    advice: '구간, 판정, 손실의 분해를 보려면 실행 디렉터리를 주십시오.',
  },
  'read-with-loss': { title: '일부를 읽지 못함', advice: '나머지는 읽었습니다.' },
  'salt-differs': {
    title: '솔트가 다름',
    advice:
      '솔트만 다른 같은 워크로드입니다. 길이와 순서는 같고 글은 다릅니다. 데워진 캐시를 피하는 데 좋습니다.',
  },
};

/** Title of each reason for a missing or small difference, and what to do about it, in Korean. */
export const KO_REASONS: Readonly<Record<ReasonCode, Advice>> = {
  'cached-tokens-not-reported': {
    title: '캐시 토큰이 보고되지 않음',
    advice: `서버가 보고하게 하십시오(${howToReport('cachedTokens')}). 0을 생략하는 서버가 한 번도 적중하지 않은 경우도 똑같이 보입니다.`,
  },
  'cached-tokens-from-decode': {
    title: '캐시 토큰을 디코드 워커가 보고함',
    advice:
      '캐시가 있는 프리필 워커가 아니라 분리 배포의 디코드 워커가 보고합니다. 적중률은 라우터나 프리필 워커에서 읽으십시오.',
  },
  'prefix-below-block': {
    title: '프리픽스가 블록보다 짧음',
    advice: '온전한 블록만 적중합니다. --prefix-tokens를 늘리거나 맞는 --block-size를 적으십시오.',
  },
  'everything-missed': {
    title: '모두 빗나감',
    advice:
      '프리픽스 캐시가 켜져 있습니까? 프리픽스 앞의 무언가가 요청마다 다를 수 있습니다. 날짜나 id가 든 채팅 템플릿, 프롬프트를 고치는 라우터, 토크나이저가 다른 워커를 살피십시오.',
  },
  'one-worker': {
    title: '워커가 하나',
    advice: '라우터가 고르려면 둘이 필요합니다. 다른 워커가 등록되어 있고 건강합니까?',
  },
  'all-on-one-worker': {
    title: '모두 한 워커로',
    advice:
      '다른 워커가 있는데 이 방식은 쓰지 않습니다. 그 워커들이 라우터의 색인에 들어 있고, 라우터가 겹침과 부하를 견줍니까?',
  },
  'deals-in-turn': {
    title: '요청을 차례로 돌림',
    advice:
      '프리픽스와 상관없이 돌아가며 보냅니다. 라우터가 기본 방식으로 물러났을 수 있습니다. KV 라우팅이 켜져 있고, 워커가 캐시 이벤트를 내며, 라우터와 워커의 블록 크기와 해시가 같습니까?',
  },
  'placed-by-chance': {
    title: '우연처럼 배치함',
    advice:
      '프리픽스를 보지 않습니다. KV 라우팅이 켜져 있고, 워커가 캐시 이벤트를 내며, 라우터와 워커의 블록 크기와 해시가 같습니까?',
  },
  'workers-not-reported': {
    title: '워커가 보고되지 않음',
    advice: `배치와 축출을 나눌 수 없습니다. 라우터가 워커를 보고하게 하십시오(${howToReport('workers')}).`,
  },
  'at-the-ceiling': {
    title: '이미 상한에 있음',
    advice: '더 얻을 것이 없습니다. 프리픽스를 늘리거나 캐시를 줄이십시오.',
  },
  'fits-in-one-worker': {
    title: '한 워커에 모두 들어감',
    advice:
      '워커마다 모든 프리픽스를 담을 수 있어 어디로 가든 첫 요청만 빗나갑니다. 프리픽스를 더 많이, 더 길게 하십시오.',
  },
  'round-robin-in-phase': {
    title: '라운드 로빈과 워크로드의 박자가 맞음',
    advice:
      '프리픽스의 순서가 순환과 보조를 맞춰 우연히 적은 워커에 머뭅니다. 프리픽스나 워커의 수를 바꾸십시오.',
  },
  'capacity-short': {
    title: '용량 부족',
    advice: '누가 라우팅하든 캐시가 이 프리픽스들에 너무 작습니다. 프리픽스를 줄이거나 캐시를 늘리십시오.',
  },
  'hot-worker': {
    title: '몰린 워커',
    advice: '캐시가 아낀 것을 대기열이 먹습니다. 라우터에서 부하와 겹침의 가중치를 살피십시오.',
  },
  'queueing-hides-gain': {
    title: '대기가 이득을 가림',
    advice:
      '적중이 아끼는 것보다 오래 기다립니다. 부하를 낮추거나, 대상이 포화되지 않은 부하에서 비교하십시오.',
  },
  'hit-saves-little': {
    title: '적중이 아끼는 것이 적음',
    advice: '프리픽스의 프리필이 여기서 의미를 갖기에는 너무 짧습니다. 더 긴 프리픽스를 쓰십시오.',
  },
  'load-concentrated': {
    title: '부하 쏠림',
    advice:
      '프리픽스를 공유하는 요청은 워커와 그 디코드 배치도 공유합니다. 프리픽스를 늘려 흩어지게 하거나, 라우터에서 겹침보다 부하에 더 무게를 두십시오.',
  },
  'median-hits-in-both': {
    title: '중앙값은 둘 다 적중',
    advice:
      'TTFT p50은 어느 쪽이든 적중의 값입니다. 미적중이 줄어 아낀 것은 TTFT p99, E2E, 처리량에 나타납니다.',
  },
  'median-misses-in-both': {
    title: '중앙값은 둘 다 미적중',
    advice:
      'TTFT p50은 적중률이 50 %를 넘을 때 움직입니다. 적중이 늘어 아낀 것은 E2E, 처리량, TTFT 분포에 나타납니다.',
  },
  'client-late': {
    title: '클라이언트가 늦음',
    advice:
      '클라이언트가 늦지 않는 곳에서 실행하십시오. 동시 요청을 줄이거나, 코어가 남으면 --threads를 늘리거나, 그 기계의 다른 작업을 멈추십시오. 적중률과 워커 수치는 영향을 받지 않습니다.',
  },
  'repeats-differ': {
    title: '반복이 서로 다름',
    advice: '--repeats나 --requests를 늘리십시오. 변화가 실재할 수 있으나 드러나지 않았습니다.',
  },
};
