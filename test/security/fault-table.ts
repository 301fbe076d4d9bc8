import { gzipSync } from 'node:zlib';
import { faults, type Step } from '../support/faulty-steps.ts';

const json = (body: unknown, status = 200, headers = {}): Step => ({ answer: { status, headers, body } });
const ok = { code: 0, message: '' };
export const hostile = '\u001b]0;x\u0007\u001b[2J\r\u009b31m\u202e\u2028\ufeff\u{e0041}\u0000end';

export const table: Record<string, Step[]> = {
  dns: [], refused: [],
  accept: [{ ...faults.refusedAfterAccept }],
  before: [faults.dropBefore], silent: [faults.silentBefore], driphead: [{end:'drip head'}],
  drip: [{ end:'drip', answer:{body:' '.repeat(500)}}],
  cut: [faults.cutAfter], cutchunked: [{end:'cut chunked'}], unframed: [{end:'cut unframed'}],
  endless: [{end:'endless'}],
  big: [{answer:{raw:'HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n'}}],
  gzip: [{answer:{raw:`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}`}}],
  longheader: [{answer:{raw:`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`}}],
  greeting: [{answer:{raw:'220 mail.example ESMTP\r\n'}}],
  redirect: [faults.redirect('http://127.0.0.1:1/')],
  html: [faults.htmlBefore], empty: [json('')], null: [json('null')], list: [json('[]')], text: [json('"x"')], obj: [json('{}')],
  bom: [json('\ufeff{"error":{"code":0,"message":""}}')], garbage: [json('{"error":{"code":0,"message":""}} x')],
  noerror: [json({urls:[],tags:[],stats:[],domains:[],log:[],account:{}})],
  codetext: [json({error:{code:'0'}})], codefloat: [json({error:{code:0.5}})], codehuge: [json('{"error":{"code":1e999}}')], codenegative: [json({error:{code:-1,message:'odd'}})],
  c9999: [faults.refuse(9999)], c101: [faults.refuse(101)], c1308: [faults.refuse(1308)], c1300:[faults.refuse(1300)], c1102:[faults.refuse(1102)], c1217: [faults.refuse(1217)],
  h401: [json('',401)], h403: [json('<p>',403)], c1303: [faults.refuse(1303,429)], c1303b: [faults.refuse(1303,200)],
  c429: [faults.tooMany()], c429b: [faults.tooMany('3600')], c429c:[faults.tooMany('abc')], c1219:[faults.refuse(1219,200)],
  c1220: [faults.refuse(1220)], c1221: [faults.refuse(1221)], c1301:[faults.refuse(1301,404)], c1302: [faults.refuse(1302,405)], c1306: [faults.refuse(1306)], c1313:[faults.refuse(1313)],c1309:[faults.refuse(1309)],
  h500ok: [json({error:ok,urls:[]},500)], h502: [faults.badGatewayBefore], h503:[json('',503)], h404:[json('<p>',404)], h413:[json('',413)], h408:[json('',408)],
  h204: [json('',204)], 
  deep: [json(`{"error":{"code":0,"message":""},"urls":${'['.repeat(200_000)}`)],
  deepok: [json(`{"error":{"code":0,"message":""},"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
  hostilemsg: [json({error:{code:9999,message:hostile,details:hostile}},400)],
};
void gzipSync;
