"""Lists the phrases that mail programs put around an answer, in our players' languages."""

from __future__ import annotations

import re

# The first header line that Outlook and others put above a quote, then the later ones.
_FROM = (
    "from|feladó|от|от кого|від|од|de|da|di|von|van|fra|från|fr[åa]n|od|lähettäjä|remitente"
    "|remetente|expéditeur|mittente|absender|afzender|avsändare|avsender|nadawca|odesílatel"
    "|odosielateľ|pošiljatelj|expeditor|gönderen|kimden|kellelt|saatja|από|发件人|寄件者|差出人"
    "|보낸 ?사람"
)
_OTHER = (
    "sent|date|subject|elküldve|küldve|dátum|címzett|tárgy|отправлено|дата|кому|тема|надіслано"
    "|enviad[ao]( em)?|data|para|assunto|gesendet|datum|betreff|envoyé|objet|asunto|fecha|sendt"
    "|dato|emne|skickat|ämne|verzonden|onderwerp|inviato|oggetto|wysłano|temat|do|lähetetty|aihe"
    "|odesláno|odoslané|předmět|predmet|komu|poslano|trimis|subiect|gönderilme|tarih|konu"
    "|saadetud|teema|στάλθηκε|θέμα|发送时间|主题|件名|제목"
)
HEADER = re.compile(
    rf"\*?({_FROM})\*? ?:|\*?({_OTHER})\*? ?:"
    r"|(begin forwarded message|továbbított üzenet|пересылаемое сообщение"
    r"|início da mensagem reencaminhada|weitergeleitete nachricht|anfang der weitergeleiteten"
    r"|début du message (réexpédié|transféré)|inizio messaggio inoltrato"
    r"|inicio del mensaje reenviado|start videresendt besked|vidarebefordrat brev"
    r"|begin doorgestuurd bericht)\b"
)
SIGNATURE = re.compile(
    r"sent (from|via|using|with|by) "
    r"|get (outlook|the mobile app|the outlook|bluemail|yahoo) ?"
    r"|yahoo mail: "
    r"|(el)?küldve\b|(az? )?\S.{0,50}([rb]ól|[rb]ől)( lett)? (el)?küldve\b"
    r"|(a|az) .{1,40} (letöltése|beszerzése)\b"
    r"|отправлен[оа]? (с|со|из|через|при помощи) |послано (с|из) |надіслано з "
    r"|(скачать|скачайте|получить) outlook"
    r"|enviad[oa] (do|da|de|desde|via|com|pelo|pela|por|através|a partir|usando) "
    r"|(obter|obtenha|obtener|obtenir|télécharger|ottieni|hent|hämta|download|pobierz|stáhnout)"
    r" (o )?outlook"
    r"|(von mein|gesendet (von|mit|aus)) ?|outlook für "
    r"|envoyé (de|depuis|à partir|avec) |inviato (da|dal|con) "
    r"|sendt (fra|med|via) |skickat från |skickades från |verzonden (vanaf|met|via|met|van) "
    r"|verstuurd vanaf |wysłan[eo] z |lähetetty |odesláno z |odoslané z |trimis de pe "
    r"|poslano (z|s) |iphone['’]?(umdan|dan)? gönderildi"
)
# No \b in front where a script has no spaces.
WROTE = re.compile(
    r"\b(wrote|writes|schreibt|schrieb|a écrit|escribió|ha scritto|ha escrit|escreveu|írta"
    r"|ezt írja|написал|написала|написал\(а\)|пишет|писал|писал\(а\)|сообщил|написав"
    r"|написала|пише|skrev|skrifaði|schreef|heeft geschreven|napisał|napisała|napisał\(a\)|pisze"
    r"|kirjoitti|kirjutas|napsal|napsala|napsal\(a\)|napísal|napísala|napísal\(a\)|napisao"
    r"|napisala|je napisao/la|je napisal|a scris|yazdı|şunu yazdı|έγραψε|rakstīja|rašė)(?!\w)"
    r"|写道|寫道|書きました|작성"
)
DATED = re.compile(r"\d{1,2}[:.]\d{2}|\d{4}")
ADDRESS = re.compile(r"[^\s@]@[^\s@]+\.[^\s@]")  # "ginger@1" does not match
# The first line of an attribution that spans several. No order looks like this.
OPENS = re.compile(
    r"(on|at|am|den|op|le|el|em|il|w dniu|dne|dňa|no dia|às|ao?) .*\d"
    r"|(пн|вт|ср|чт|пт|сб|вс|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье)[,. ]"
    r"|\d{1,4}[./-] ?\d|\d{1,2} [^\W\d]{3,9}\.? \d{4}|\d{4}\. |.*\b(19|20)\d\d\b"
    r"|.*<|.*@\S+\.|.*\bírta\b|.*\bescreveu\b"
)
# A header in any language: one to three words, then a colon. Several in a row head a quote.
ANY_HEADER = re.compile(r"\*?[^\W\d_][^:\d]{0,24}\*? ?: ?\S")
US = "carreira"  # the sender name of our letters

# How autoresponders begin a subject. It decides nothing alone.
AUTOMATIC = re.compile(
    r"(auto(matic)?[- ]?(reply|response)|auto:|out of (the )?office|away from|vacation"
    r"|on (annual |sick )?leave|i am (away|out|on (vacation|holiday|leave))"
    r"|automatikus (válasz|üzenet)|házon kívül|szabadságon|nem vagyok (az )?irodában"
    r"|авто-?ответ|автоматический ответ|вне офиса|отсутствие на рабочем месте|(я )?в отпуске"
    r"|автоматична відповідь"
    r"|resposta autom[aá]tica|fora do escritório|ausência|ausente|(estou )?(em|de) férias"
    r"|automatische (antwort|abwesenheit)|abwesenheit|abwesend|ich bin (im urlaub|derzeit|nicht)"
    r"|(bin )?im urlaub|nicht im (büro|haus)|réponse automatique|absence|absent|je suis (en|absent)"
    r"|en congé|respuesta automática|fuera de (la )?oficina|estoy (fuera|de vacaciones)"
    r"|risposta automatica|fuori (sede|ufficio)|sono in ferie|assente"
    r"|autosvar|automatisk (svar|svarsmeddelelse)|automatiskt svar|fraværende|frånvaro"
    r"|ikke (på kontoret|til stede)|jeg (er|har) (på )?ferie|jag (är|har) (på )?semester|på ferie"
    r"|automatisch antwoord|afwezig|ik ben (afwezig|met vakantie|op vakantie)|niet op kantoor"
    r"|odpowiedź automatyczna|autoodpowiedź|nieobecn|jestem na urlopie"
    r"|automaattinen vastaus|poissa|lomalla|olen lomalla"
    r"|automatická odpov|mimo kancelář|nepřítomn|jsem na dovolené|răspuns automat|otomatik yanıt)"
)
# Subjects of bounces from servers that write no reports.
CAME_BACK = re.compile(
    r"undeliver|non-?deliver|delivery (status|failure|failed|problem|incomplete|delayed)|returned"
    r"|mail (delivery|system)|failure notice|could not be delivered|message (not delivered|blocked)"
    r"|bounce|rejected|kézbesít|visszaküld|не ?доставлен|недоставлен|возвращ|não (foi )?entregue"
    r"|devolvid|falha na entrega|unzustellbar|nicht zugestellt|zustellung|non remis|échec"
    r"|no se pudo|no entregado|mancato recapito|niedostarczon|onbestelbaar"
    r"|ikke leveret|kunde inte levereras"
)
